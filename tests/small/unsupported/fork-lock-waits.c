// A child waits for a lock that another thread held at the fork, and its parent for the child.
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
    pthread_create(&thread, NULL, holder, NULL);
    pid_t child = fork();
    if (child == 0) {
        pthread_mutex_lock(&lock);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    pthread_join(thread, NULL);
    return 0;
}
