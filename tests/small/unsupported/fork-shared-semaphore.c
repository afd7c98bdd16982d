// A semaphore that two processes share: the parent waits for what the child does.
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    sem_t *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(shared, 1, 0);
    pid_t child = fork();
    if (child == 0) {
        sem_post(shared);
        _exit(0);
    }
    sem_wait(shared);
    waitpid(child, NULL, 0);
    return 0;
}
