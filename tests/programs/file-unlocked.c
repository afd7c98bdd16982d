// The `_unlocked` variants of stdio use the same stream.
//
// heddle: verdict = found
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static FILE *stream;
static char got[2];

static void *work(void *unused)
{
    char mine[2];
    assert(fgets_unlocked(mine, 2, stream));
    return unused;
}

int main(void)
{
    pthread_t thread;
    stream = fopen("heddle-test-unlocked", "w+");
    fputs("ab", stream);
    rewind(stream);
    pthread_create(&thread, NULL, work, NULL);
    assert(fgets_unlocked(got, 2, stream));
    pthread_join(thread, NULL);
    assert(got[0] == 'a'); // heddle: here
    fclose(stream);
    return 0;
}
