// A child waits for ever for a lock that another thread held at the fork. Nobody waits for the child.
#include <pthread.h>
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
    int ends[2];
    char byte;
    pthread_t thread;
    pipe(ends);
    pthread_create(&thread, NULL, holder, NULL);
    if (fork() == 0) {
        write(ends[1], "x", 1);
        pthread_mutex_lock(&lock);
        _exit(0);
    }
    read(ends[0], &byte, 1);
    pthread_join(thread, NULL);
    return 0;
}
