// Two mutexes in the heap, locked crosswise.
//
// heddle: kind = deadlock
#include <pthread.h>
#include <stdlib.h>

struct cell {
    pthread_mutex_t lock;
    struct cell *other;
};

static void *work(void *argument)
{
    struct cell *mine = argument;
    pthread_mutex_lock(&mine->lock);
    pthread_mutex_lock(&mine->other->lock);
    pthread_mutex_unlock(&mine->other->lock);
    pthread_mutex_unlock(&mine->lock);
    return NULL;
}

int main(void)
{
    struct cell *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    pthread_t one, two;
    pthread_mutex_init(&a->lock, NULL);
    pthread_mutex_init(&b->lock, NULL);
    a->other = b;
    b->other = a;
    pthread_create(&one, NULL, work, a);
    pthread_create(&two, NULL, work, b);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    free(a);
    free(b);
    return 0;
}
