// Who initialises is not decided.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_t winner;

static void init(void)
{
    winner = pthread_self();
}

static void *use(void *unused)
{
    pthread_once(&once, init);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, use, NULL);
    pthread_create(&threads[1], NULL, use, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(pthread_equal(winner, threads[0]));
    return 0;
}
