// A program that handles its own crash: the crash is reported, and the handler does not hide it.
// What the handler ends, the process, has an order with each step of the other thread.
//
// heddle: verdict = found
// heddle: kind = crash
// heddle: executions = 5
// heddle: count = 4
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
