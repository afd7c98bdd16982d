// A stream is closed while another thread writes to it.
//
// heddle: kind = memory
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static FILE *stream;

static void *one(void *unused)
{
    fclose(stream);
    return unused;
}

static void *two(void *unused)
{
    fputc(1, stream);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    stream = fopen("some-file", "w");
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
