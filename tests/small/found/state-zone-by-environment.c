// localtime takes the time zone from the environment, which another thread may change.
//
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void *work(void *unused)
{
    setenv("TZ", "XYZ5", 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    time_t zero = 0;
    pthread_create(&thread, NULL, work, NULL);
    int hour = localtime(&zero)->tm_hour;
    pthread_join(thread, NULL);
    assert(hour == 0);
    return 0;
}
