// Atomics of one, two, four and eight bytes.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic unsigned char a;
static _Atomic unsigned short b;
static _Atomic unsigned c_;
static _Atomic unsigned long long d;

static void *add(void *unused)
{
    a++;
    b++;
    c_++;
    d++;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, add, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(a == 2 && b == 2 && c_ == 2 && d == 2);
    return 0;
}
