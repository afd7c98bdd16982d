// Each of two threads has a lock, but not the same one.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: flags = --races ignore -O0
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER, wrong = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void *one(void *unused)
{
    pthread_mutex_lock(&right);
    int before = data;
    data++;
    assert(data == before + 1); // heddle: here
    pthread_mutex_unlock(&right);
    return unused;
}

static void *other(void *unused)
{
    pthread_mutex_lock(&wrong);
    data++;
    pthread_mutex_unlock(&wrong);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
