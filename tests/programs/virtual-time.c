// Clocks go forward, sleeping takes (virtual) time and no real time, random numbers are the same each time.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns;

static long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void *work(void *unused)
{
    long before = now();
    sleep(3600);
    struct timespec hour = {3600, 0};
    nanosleep(&hour, NULL);
    assert(now() - before >= 7200 * 1000);
    assert(time(NULL) > 0);
    pthread_mutex_lock(&lock);
    turns++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    srand((unsigned)time(NULL) + (unsigned)getpid());
    int dice = rand() % 6;
    assert(dice >= 0 && dice < 6);
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(turns == 2);
    return 0;
}
