// Two threads add to each other's number, N times: `i += j` and `j += i`, every load and store on its own, while the
// main thread looks at both. The largest value that can come out is the Fibonacci number 2N + 2.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 4
#endif

static atomic_int i = 1, j = 1;

static void *add_j(void *unused)
{
    for (int k = 0; k < N; k++) {
        int mine = atomic_load(&i), other = atomic_load(&j);
        atomic_store(&i, mine + other);
    }
    return unused;
}

static void *add_i(void *unused)
{
    for (int k = 0; k < N; k++) {
        int mine = atomic_load(&j), other = atomic_load(&i);
        atomic_store(&j, mine + other);
    }
    return unused;
}

static int fibonacci(int n)
{
    int a = 0, b = 1;
    for (int k = 0; k < n; k++) {
        int sum = a + b;
        a = b;
        b = sum;
    }
    return a;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, add_j, NULL);
    pthread_create(&two, NULL, add_i, NULL);
    // While they are at it.
    int most = fibonacci(2 * N + 2);
    int some_i = atomic_load(&i), some_j = atomic_load(&j);
    assert(some_i <= most && some_j <= most);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
