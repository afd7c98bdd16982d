// A descriptor of a device is closed while another thread uses it.
//
// heddle: kind = assertion
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int file;

static void *work(void *unused)
{
    close(file);
    return unused;
}

int main(void)
{
    pthread_t thread;
    file = open("/dev/null", O_RDONLY);
    pthread_create(&thread, NULL, work, NULL);
    int flags = fcntl(file, F_GETFD);
    pthread_join(thread, NULL);
    assert(flags >= 0);
    return 0;
}
