// Readers count themselves under one lock; the first takes a second lock for all, the last gives it back. Two of four
// threads take the two locks in the other order.
#include <pthread.h>

static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER, data_lock = PTHREAD_MUTEX_INITIALIZER;
static int a, b;

static void *first(void *unused)
{
    pthread_mutex_lock(&count_lock);
    if (++a == 1)
        pthread_mutex_lock(&data_lock);
    pthread_mutex_unlock(&count_lock);
    pthread_mutex_lock(&count_lock);
    if (--a == 0)
        pthread_mutex_unlock(&data_lock);
    pthread_mutex_unlock(&count_lock);
    return unused;
}

static void *second(void *unused)
{
    pthread_mutex_lock(&data_lock);
    b++;
    pthread_mutex_lock(&count_lock);
    b--;
    pthread_mutex_unlock(&count_lock);
    pthread_mutex_unlock(&data_lock);
    return unused;
}

static void *bystander(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    void *(*work[4])(void *) = {first, second, bystander, bystander};
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
