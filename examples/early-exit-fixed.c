// A thread that somebody waits for.
//
// The same as early-exit.c, but `main` joins the writer before it closes the log. One execution is all there is.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int log_open = 1;

static void *write_log(void *unused)
{
    assert(atomic_load(&log_open));
    return unused;
}

int main(void)
{
    pthread_t writer;
    pthread_create(&writer, NULL, write_log, NULL);
    pthread_join(writer, NULL);
    atomic_store(&log_open, 0);
    return 0;
}
