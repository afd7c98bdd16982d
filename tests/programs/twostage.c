// Two stages under two locks: a reader between them sees the first without the second. The accesses are all under locks, so
// there is no race, and the assertion fails all the same.
//
// heddle: verdict = found
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void *writer(void *unused)
{
    pthread_mutex_lock(&a);
    first = 1;
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&b);
    second = first + 1;
    pthread_mutex_unlock(&b);
    return unused;
}

static void *reader(void *unused)
{
    pthread_mutex_lock(&a);
    int seen = first;
    pthread_mutex_unlock(&a);
    if (!seen)
        return unused;
    pthread_mutex_lock(&b);
    assert(second == seen + 1); // heddle: here
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&two, NULL, reader, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
