// A transfer with both accounts locked.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int x = 10, y = 10;

static void *transfer(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    x--;
    y++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *audit(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    assert(x + y == 20);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, transfer, NULL);
    pthread_create(&threads[1], NULL, audit, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
