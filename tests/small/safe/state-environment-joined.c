// Walking over the environment after the thread that changed it was joined, and `getenv` beside `setenv`, is allowed.
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
    (void)getenv("OLD");
    setenv("OLD", "2", 1);
    pthread_join(thread, NULL);
    for (char **one = environ; *one; one++)
        count++;
    return count == 0;
}
