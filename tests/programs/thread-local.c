// Every thread has its own `__thread` variables, with their initial values, its own errno and its own identity,
// whatever the others do in between.
//
// heddle: verdict = safe
// heddle: executions = 6
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int mine = 7;
static __thread int zero;
static int turns;

static void *work(void *argument)
{
    int me = (int)(long)argument;
    pthread_t self = pthread_self();
    assert(mine == 7 && zero == 0);
    mine = me;
    errno = 100 + me;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        turns++;
        zero++;
        assert(mine == me && errno == 100 + me && pthread_equal(self, pthread_self()));
        pthread_mutex_unlock(&lock);
    }
    assert(zero == 2);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    mine = 9;
    pthread_create(&one, NULL, work, (void *)1L);
    pthread_create(&two, NULL, work, (void *)2L);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(mine == 9 && zero == 0 && turns == 4);
    return 0;
}
