// Readers alone commute: one execution, however many there are.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock;
static int value = 7;

static void *reader(void *sum)
{
    for (int i = 0; i < 3; i++) {
        pthread_rwlock_rdlock(&lock);
        *(int *)sum += value;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[5];
    int sums[5] = {0};
    pthread_rwlock_init(&lock, NULL);
    for (int i = 0; i < 5; i++)
        pthread_create(&threads[i], NULL, reader, &sums[i]);
    for (int i = 0; i < 5; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 5; i++)
        if (sums[i] != 21)
            return 1;
    pthread_rwlock_destroy(&lock);
    return 0;
}
