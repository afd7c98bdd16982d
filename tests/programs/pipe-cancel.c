// A thread that waits for something to read is asked to end, and does: to read is a cancellation point.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];
static int cleaned;

static void clean(void *unused)
{
    (void)unused;
    cleaned = 1;
}

static void *listen_for(void *unused)
{
    char byte;
    pthread_cleanup_push(clean, NULL);
    while (read(ends[0], &byte, 1) == 1)
        ;
    pthread_cleanup_pop(0);
    return unused;
}

int main(void)
{
    pthread_t listener;
    void *result;
    assert(pipe(ends) == 0);
    pthread_create(&listener, NULL, listen_for, NULL);
    assert(write(ends[1], "x", 1) == 1);
    pthread_cancel(listener);
    pthread_join(listener, &result);
    assert(result == PTHREAD_CANCELED && cleaned);
    return 0;
}
