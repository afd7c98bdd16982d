// A child has a semaphore with the count at the fork.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

static sem_t posted;

static void *poster(void *unused)
{
    sem_post(&posted);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int status;
    sem_init(&posted, 0, 2);
    pthread_create(&thread, NULL, poster, NULL);
    pid_t child = fork();
    if (child == 0) {
        int count;
        sem_getvalue(&posted, &count);
        _exit(count);
    }
    waitpid(child, &status, 0);
    pthread_join(thread, NULL);
    assert(WEXITSTATUS(status) >= 2);
    assert(WEXITSTATUS(status) == 2);
    return 0;
}
