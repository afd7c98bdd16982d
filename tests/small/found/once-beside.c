// The initialisation is used without asking for it.
//
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
int n;

static void init(void)
{
    n++;
}

static void *use(void *unused)
{
    pthread_once(&once, init);
    return unused;
}

static void *look(void *unused)
{
    assert(n < 2);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, use, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
