// Memory from alloca and variable-length arrays, kept across switches.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <alloca.h>
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    int size = 1000 * (int)(long)argument;
    char *block = alloca(size);
    char array[size];
    memset(block, size % 100, size);
    memset(array, size % 99, size);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < size; i++)
        assert(block[i] == size % 100 && array[i] == size % 99);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, work, (void *)3L);
    pthread_create(&two, NULL, work, (void *)5L);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
