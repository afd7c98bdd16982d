// A thread that nobody waits for.
//
// `main` starts a thread that writes to a log, closes the log and returns, which ends the process. Run it, and it
// works: the process is gone before the thread gets anywhere. But the thread may be faster than that, and find the
// log closed. The end of the process is one more event whose order with the others is explored.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 6
// heddle: count = 1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int log_open = 1;

static void *write_log(void *unused)
{
    assert(atomic_load(&log_open)); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t writer;
    pthread_create(&writer, NULL, write_log, NULL);
    atomic_store(&log_open, 0);
    return 0;
}
