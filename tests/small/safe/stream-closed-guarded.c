// A stream is closed and used under one lock, and not used afterwards.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static FILE *stream;
static int closed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *unused)
{
    pthread_mutex_lock(&lock);
    if (!closed) fputc(1, stream);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *two(void *unused)
{
    pthread_mutex_lock(&lock);
    closed = 1;
    fclose(stream);
    pthread_mutex_unlock(&lock);
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
