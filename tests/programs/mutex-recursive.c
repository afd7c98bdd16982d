// A recursive mutex belongs to its owner until it is unlocked as often as it was locked.
//
// heddle: verdict = safe
// heddle: executions = 12
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t from_attributes;
static pthread_mutex_t from_initialiser = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int inside;
static int got;

static void visit(pthread_mutex_t *lock, int depth)
{
    assert(pthread_mutex_lock(lock) == 0);
    if (depth == 0)
        assert(inside++ == 0);
    else
        visit(lock, depth - 1);
    assert(depth > 0 || --inside == 0);
    assert(pthread_mutex_unlock(lock) == 0);
}

static void *work(void *unused)
{
    visit(&from_attributes, 2);
    return unused;
}

static void *try(void *unused)
{
    if (pthread_mutex_trylock(&from_initialiser) == 0) {
        assert(pthread_mutex_trylock(&from_initialiser) == 0);
        pthread_mutex_unlock(&from_initialiser);
        pthread_mutex_unlock(&from_initialiser);
        got++;
    }
    assert(pthread_mutex_unlock(&from_initialiser) == EPERM);
    return unused;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&from_attributes, &attributes);
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, work, NULL);
    pthread_create(&threads[2], NULL, try, NULL);
    pthread_mutex_lock(&from_initialiser);
    pthread_mutex_lock(&from_initialiser);
    pthread_mutex_unlock(&from_initialiser);
    pthread_mutex_unlock(&from_initialiser);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(got <= 1);
    assert(pthread_mutex_unlock(&from_attributes) == EPERM);
    assert(pthread_mutex_destroy(&from_attributes) == 0);
    return 0;
}
