// A named pipe: who opens it waits in the kernel for the other side, which Heddle does not model.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>

static void *work(void *unused)
{
    mkfifo("/tmp/heddle-test-fifo", 0600); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
