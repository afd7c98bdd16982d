// A stream remembers that writing has failed, also one on a device.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static FILE *stream;

static void *work(void *unused)
{
    fputc('x', stream);
    return unused;
}

int main(void)
{
    pthread_t thread;
    stream = fopen("/dev/null", "r");
    pthread_create(&thread, NULL, work, NULL);
    int failed = ferror(stream);
    pthread_join(thread, NULL);
    assert(!failed);
    return 0;
}
