// A limit is lowered while another thread writes to a file.
//
// heddle: kind = assertion
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static void *lower(void *unused)
{
    struct rlimit limit = {2, 2};
    setrlimit(RLIMIT_FSIZE, &limit);
    return unused;
}

int main(void)
{
    signal(SIGXFSZ, SIG_IGN);
    int file = open("limited", O_CREAT | O_RDWR | O_TRUNC, 0600);
    pthread_t thread;
    pthread_create(&thread, NULL, lower, NULL);
    assert(write(file, "abcdef", 6) == 6);
    pthread_join(thread, NULL);
}
