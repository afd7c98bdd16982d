// A child that is made before there are threads has nothing of theirs.
//
// heddle: verdict = safe
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
    pid_t child = fork();
    if (child == 0)
        _exit(atomic_load(&shared));
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    waitpid(child, &status, 0);
    assert(WEXITSTATUS(status) == 0);
    return 0;
}
