// Two threads lock one file, each by a descriptor of its own: who comes second would wait where nobody else can go on.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/file.h>
#include <unistd.h>

static void *work(void *unused)
{
    int file = open(__FILE__, O_RDONLY);
    assert(file >= 0);
    assert(flock(file, LOCK_EX) == 0);
    sched_yield();
    close(file);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
