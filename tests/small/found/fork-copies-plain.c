// The child gets a copy of what another thread writes under a lock.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int number;

static void *set(void *unused)
{
    pthread_mutex_lock(&mutex);
    number = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int status;
    pthread_create(&thread, NULL, set, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(number);
    waitpid(child, &status, 0);
    assert(WEXITSTATUS(status) == 0);
    pthread_join(thread, NULL);
}
