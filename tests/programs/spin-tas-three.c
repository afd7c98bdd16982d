// A lock that only tries: what it writes while it waits is what is there already.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_flag locked = ATOMIC_FLAG_INIT;
static int count;

static void *work(void *unused)
{
    while (atomic_flag_test_and_set(&locked))
        ;
    count++;
    atomic_flag_clear(&locked);
    return unused;
}

int main(void)
{
    pthread_t one, two, three;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_create(&three, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    pthread_join(three, NULL);
    assert(count == 3);
    return 0;
}
