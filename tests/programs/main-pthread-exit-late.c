// main leaves by pthread_exit; what its threads do afterwards still counts.
//
// heddle: verdict = found
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int steps;

static void *work(void *unused)
{
    int before = atomic_fetch_add(&steps, 1);
    assert(before == 0); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_exit(NULL);
}
