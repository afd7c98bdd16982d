// A circular buffer whose producer looks at the free room before it takes the lock.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef PLAIN
#define atomic_int int // a data race on top
#endif

#define SIZE 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int count;
static int buffer[SIZE], first, next;

static void *produce(void *number)
{
    for (int i = 0; i < 2; i++) {
        if (count == SIZE)
            continue;
        pthread_mutex_lock(&lock);
        assert(count < SIZE);
        buffer[next] = *(int *)number;
        next = (next + 1) % SIZE;
        count++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *consume(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        if (count > 0) {
            first = (first + 1) % SIZE;
            count--;
        }
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    int numbers[2] = {1, 2};
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, produce, &numbers[0]);
    pthread_create(&threads[1], NULL, produce, &numbers[1]);
    pthread_create(&threads[2], NULL, consume, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
