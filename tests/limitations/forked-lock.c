// A child has a copy of the memory, but no thread of the model: a mutex that another thread holds is free there.
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *holder(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int status;
    pthread_create(&thread, NULL, holder, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(pthread_mutex_trylock(&lock) != 0);
    waitpid(child, &status, 0);
    pthread_join(thread, NULL);
    assert(WEXITSTATUS(status) == 0);
    return 0;
}
