// Backing off, and forgetting something.
//
// `polite` takes `a` and tries `b`; if `b` is taken it goes away instead of waiting. That would avoid the deadlock of
// abba.c, if it did not keep `a` for itself.
//
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: executions = 4
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int moved;

static void *polite(void *unused)
{
    pthread_mutex_lock(&a);
    if (pthread_mutex_trylock(&b) != 0)
        return unused;
    moved++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *stubborn(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); // heddle: here
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
    return 0;
}
