// Destructors of thread-specific data: four rounds, in each the keys in their order.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <assert.h>
#include <pthread.h>
#include <limits.h>
static pthread_key_t again, order1, order2;
static int rounds; static char seen[8]; static int n;
static void destroy(void *v) { rounds++; pthread_setspecific(again, v); }
static void d1(void *v) { seen[n++] = '1'; }
static void d2(void *v) { seen[n++] = '2'; }
static void *work(void *u)
{
    pthread_setspecific(again, &rounds);
    pthread_setspecific(order2, &rounds);
    pthread_setspecific(order1, &rounds);
    return u;
}
int main(void)
{
    pthread_t a;
    assert(pthread_key_create(&order1, d1) == 0 && pthread_key_create(&order2, d2) == 0 && pthread_key_create(&again, destroy) == 0);
    pthread_create(&a, NULL, work, NULL);
    pthread_join(a, NULL);
    assert(rounds == PTHREAD_DESTRUCTOR_ITERATIONS);
    assert(n == 2 && seen[0] == '1' && seen[1] == '2');
    return 0;
}
