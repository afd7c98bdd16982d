// Threads that print, with stdio's own locking in the way of nobody.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    printf("thread %ld has the lock\n", (long)argument);
    fprintf(stderr, "and says so on standard error, %.1f times\n", 1.0);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, work, (void *)1L);
    pthread_create(&two, NULL, work, (void *)2L);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    puts("both are done");
    return 0;
}
