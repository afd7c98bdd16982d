// A child finds the lock taken that another thread held at the fork.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int status;
    pthread_create(&thread, NULL, reader, NULL);
    pid_t child = fork();
    if (child == 0) {
        if (pthread_rwlock_tryrdlock(&lock) != 0)
            _exit(2);
        pthread_rwlock_unlock(&lock);
        _exit(pthread_rwlock_trywrlock(&lock) != 0);
    }
    waitpid(child, &status, 0);
    pthread_join(thread, NULL);
    assert(WEXITSTATUS(status) != 1);
    return 0;
}
