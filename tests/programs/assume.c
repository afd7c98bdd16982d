// The thread that reads is assumed to see the other's store: of two orders one is no execution. The other one shows that
// nothing else was assumed away; the failure comes before or after the other thread's end.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 2
// heddle: count = 2
#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int flag;

static void *stores(void *unused)
{
    flag = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, stores, NULL);
    int seen = flag;
    heddle_assume(seen == 1);
    assert(seen == 0); // heddle: here
    pthread_join(thread, NULL);
    return 0;
}
