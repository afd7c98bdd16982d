// An atomic flag whose answer is ignored.
//
// heddle: kind = data-race
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag busy = ATOMIC_FLAG_INIT;
int n;

static void *add(void *unused)
{
    atomic_flag_test_and_set(&busy);
    n++;
    atomic_flag_clear(&busy);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, add, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
