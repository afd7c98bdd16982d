// Backing off properly.
//
// The same as trylock.c, but who cannot have `b` gives `a` back. A failed attempt is an execution of its own: four in
// all, two of them with a failure.
//
// heddle: verdict = safe
// heddle: executions = 4
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int moved;

static void *polite(void *unused)
{
    pthread_mutex_lock(&a);
    if (pthread_mutex_trylock(&b) != 0) {
        pthread_mutex_unlock(&a);
        return unused;
    }
    moved++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *stubborn(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    moved--;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, polite, NULL);
    pthread_create(&two, NULL, stubborn, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(moved == 0 || moved == -1);
    return 0;
}
