// Memory that held a lock and holds another one now: no misuse, whether the first one was destroyed or not.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

struct object {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_rwlock_t shared;
    sem_t count;
    pthread_spinlock_t spin;
    pthread_barrier_t barrier;
};

static void use(struct object *object, int destroys)
{
    pthread_mutex_init(&object->lock, NULL);
    pthread_cond_init(&object->changed, NULL);
    pthread_rwlock_init(&object->shared, NULL);
    sem_init(&object->count, 0, 1);
    pthread_spin_init(&object->spin, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&object->barrier, NULL, 1);
    pthread_mutex_lock(&object->lock);
    pthread_cond_signal(&object->changed);
    pthread_mutex_unlock(&object->lock);
    pthread_rwlock_rdlock(&object->shared);
    pthread_rwlock_unlock(&object->shared);
    sem_wait(&object->count);
    pthread_spin_lock(&object->spin);
    pthread_spin_unlock(&object->spin);
    pthread_barrier_wait(&object->barrier);
    if (destroys) {
        pthread_mutex_destroy(&object->lock);
        pthread_cond_destroy(&object->changed);
        pthread_rwlock_destroy(&object->shared);
        sem_destroy(&object->count);
        pthread_spin_destroy(&object->spin);
        pthread_barrier_destroy(&object->barrier);
    }
}

static void on_the_stack(int destroys)
{
    struct object object;
    use(&object, destroys);
}

static void on_the_heap(int destroys)
{
    struct object *object = malloc(sizeof *object);
    use(object, destroys);
    free(object);
}

int main(void)
{
    static pthread_mutex_t again = PTHREAD_MUTEX_INITIALIZER;
    for (int destroys = 0; destroys < 2; destroys++)
        for (int times = 0; times < 2; times++) {
            on_the_stack(destroys);
            on_the_heap(destroys);
        }
    /* Destroyed, and made again by assignment. */
    pthread_mutex_lock(&again);
    pthread_mutex_unlock(&again);
    pthread_mutex_destroy(&again);
    again = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&again);
    pthread_mutex_unlock(&again);
    /* Never initialised by a call, but all zero, or copied from one that is. */
    pthread_mutex_t *zero = calloc(1, sizeof *zero), copy;
    memcpy(&copy, zero, sizeof copy);
    pthread_mutex_lock(zero);
    pthread_mutex_lock(&copy);
    pthread_mutex_unlock(&copy);
    pthread_mutex_unlock(zero);
    free(zero);
    return 0;
}
