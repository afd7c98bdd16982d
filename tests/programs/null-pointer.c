// A null pointer that only one order dereferences.
//
// heddle: verdict = found
// heddle: kind = crash
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *shared;

static void *make(void *unused)
{
    pthread_mutex_lock(&lock);
    shared = calloc(1, sizeof *shared);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *use(void *unused)
{
    pthread_mutex_lock(&lock);
    *shared = 1; // heddle: here
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, make, NULL);
    pthread_create(&two, NULL, use, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    free(shared);
    return 0;
}
