// A program that handles its own crash: the crash is reported, and the handler does not hide it.
//
// heddle: verdict = found
// heddle: kind = crash
// heddle: executions = 2
// heddle: count = 1
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

static int value = 7;
// Not static: a compiler that sees all that is stored here may read `value` itself.
_Atomic(int *) where;

static void handle(int number)
{
    (void)number;
    _Exit(0);
}

static void *publish(void *unused)
{
    where = &value;
    return unused;
}

int main(void)
{
    pthread_t thread;
    signal(SIGSEGV, handle);
    pthread_create(&thread, NULL, publish, NULL);
    int *from = where;
    int got = *from; // heddle: here
    pthread_join(thread, NULL);
    return got - 7;
}
