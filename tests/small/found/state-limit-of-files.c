// A limit is lowered while another thread opens a file.
//
// heddle: kind = assertion
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>

static void *lower(void *unused)
{
    struct rlimit limit = {3, 4096};
    setrlimit(RLIMIT_NOFILE, &limit);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, lower, NULL);
    assert(open("/dev/null", O_RDONLY) >= 0);
    pthread_join(thread, NULL);
}
