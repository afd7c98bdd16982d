// A stack with a lock whose size is looked at in one critical section and used in the next.
#include <assert.h>
#include <pthread.h>

#define SIZE 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int top, items[SIZE];

static int is_empty(void)
{
    pthread_mutex_lock(&lock);
    int empty = top == 0;
    pthread_mutex_unlock(&lock);
    return empty;
}

static void *push_some(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        assert(top < SIZE);
        items[top++] = i;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *pop_some(void *unused)
{
    for (int i = 0; i < 2; i++)
        if (!is_empty()) {
            pthread_mutex_lock(&lock);
            assert(top > 0);
            top--;
            pthread_mutex_unlock(&lock);
        }
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, push_some, NULL);
    pthread_create(&threads[1], NULL, pop_some, NULL);
    pthread_create(&threads[2], NULL, pop_some, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
