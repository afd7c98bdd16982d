// Two threads open files at the same time. Neither looks at the number that it got.
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *use(void *unused)
{
    close(open("/dev/null", O_RDONLY));
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, use, NULL);
    use(NULL);
    pthread_join(thread, NULL);
}
