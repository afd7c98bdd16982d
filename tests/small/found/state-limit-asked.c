// sysconf says how many files may be open: that is a limit that another thread may change.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

static void *work(void *unused)
{
    struct rlimit limit = {64, 64};
    setrlimit(RLIMIT_NOFILE, &limit);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    long most = sysconf(_SC_OPEN_MAX);
    pthread_join(thread, NULL);
    assert(most != 64);
    return 0;
}
