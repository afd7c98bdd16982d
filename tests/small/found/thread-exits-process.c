// A thread ends the process while another is in between.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int a, b;

static void check(void)
{
    assert(a == b);
}

static void *work(void *unused)
{
    a = 1;
    b = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    atexit(check);
    pthread_create(&thread, NULL, work, NULL);
    exit(0);
}
