// `setenv` may replace the list that another thread walks over by itself.
//
// heddle: kind = data-race
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *set(void *unused)
{
    setenv("NEW", "1", 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int count = 0;
    pthread_create(&thread, NULL, set, NULL);
    for (char **one = environ; *one; one++)
        count++;
    pthread_join(thread, NULL);
    return count == 0;
}
