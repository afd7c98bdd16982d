// A thread waits for a lock on a file that another one has.
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

static void *lock(void *unused)
{
    int file = open("heddle-limitations-lock", O_CREAT | O_RDWR, 0644);
    flock(file, LOCK_EX);
    close(file);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int file = open("heddle-limitations-lock", O_CREAT | O_RDWR, 0644);
    flock(file, LOCK_EX);
    pthread_create(&thread, NULL, lock, NULL);
    pthread_join(thread, NULL);
    return 0;
}
