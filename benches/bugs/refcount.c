// An object with a count of references in a table. A thread that looks it up takes its reference after it has left the lock of the
// table, so that the last reference may be dropped and the object freed before.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    int value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *_Atomic entry;

static void put(struct object *object)
{
    if (atomic_fetch_sub(&object->references, 1) == 1)
        free(object);
}

static void *look_up(void *unused)
{
    pthread_mutex_lock(&lock);
    struct object *object = entry;
    pthread_mutex_unlock(&lock);
    if (object == NULL)
        return unused;
    atomic_fetch_add(&object->references, 1);
    assert(object->value == 7);
    put(object);
    return unused;
}

static void *delete(void *unused)
{
    pthread_mutex_lock(&lock);
    struct object *object = entry;
    entry = NULL;
    pthread_mutex_unlock(&lock);
    if (object != NULL)
        put(object);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    struct object *object = malloc(sizeof *object);
    if (object == NULL)
        return 1;
    object->value = 7;
    object->references = 1;
    entry = object;
    pthread_create(&threads[0], NULL, look_up, NULL);
    pthread_create(&threads[1], NULL, look_up, NULL);
    pthread_create(&threads[2], NULL, delete, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
