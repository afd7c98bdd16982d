// A `fork` under the lock that guards two variables: the child sees both or none.
//
// heddle: verdict = safe
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int one, two;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    atomic_store(&one, 1);
    atomic_store(&two, 1);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int status;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    pid_t child = fork();
    if (child == 0)
        _exit(atomic_load(&one) != atomic_load(&two));
    pthread_mutex_unlock(&lock);
    waitpid(child, &status, 0);
    pthread_join(thread, NULL);
    assert(WEXITSTATUS(status) == 0);
    return 0;
}
