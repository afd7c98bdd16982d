// tzset sets variables that the program reads.
//
// heddle: kind = data-race
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void *work(void *unused)
{
    tzset();
    return unused;
}

int main(void)
{
    pthread_t thread;
    setenv("TZ", "XYZ5", 1);
    pthread_create(&thread, NULL, work, NULL);
    long zone = timezone;
    pthread_join(thread, NULL);
    return zone != 0 && zone != 5 * 3600;
}
