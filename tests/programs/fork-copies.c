// A child has a copy of what other threads have written before the `fork`.
//
// heddle: verdict = found
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int shared;
static int status;

static void *work(void *unused)
{
    atomic_store(&shared, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(atomic_load(&shared));
    waitpid(child, &status, 0);
    pthread_join(thread, NULL);
    assert(WEXITSTATUS(status) == 0); // heddle: here
    return 0;
}
