// Handlers with arguments: the last that is registered runs first.
//
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int last;

static void note(int status, void *number)
{
    (void)status;
    last = *(int *)number;
}

static void check(void)
{
    assert(last == 1);
}

static int numbers[] = { 1, 2 };

static void *one(void *unused)
{
    on_exit(note, &numbers[0]);
    return unused;
}

static void *two(void *unused)
{
    on_exit(note, &numbers[1]);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    atexit(check);
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
