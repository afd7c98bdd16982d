// Handlers of fork are code of the thread that forks: one of them races with another thread.
//
// heddle: kind = data-race
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int forks;

static void count(void)
{
    forks++;
}

static void *reader(void *unused)
{
    return forks ? unused : NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_atfork(NULL, count, NULL);
    pthread_create(&thread, NULL, reader, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    pthread_join(thread, NULL);
    return 0;
}
