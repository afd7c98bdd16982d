// A thread makes the end of a pipe wait for nobody while another thread is there.
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *work(void *unused)
{
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pipe(ends);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
