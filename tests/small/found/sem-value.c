// The value between two posts is seen.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t s;

static void *post(void *unused)
{
    sem_post(&s);
    sem_post(&s);
    return unused;
}

static void *look(void *unused)
{
    int value;
    sem_getvalue(&s, &value);
    assert(value != 1);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&s, 0, 0);
    pthread_create(&threads[0], NULL, post, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
