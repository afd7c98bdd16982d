// Destructors of thread-specific data run in the thread that ends, and others can see between which of its steps.
// heddle: outcome = 0
// heddle: outcome = 1
// heddle: outcome = 2
#include "run.h"
#include <stdatomic.h>
static pthread_key_t first, second;
static atomic_int destroyed;
static int seen;
static void destroy(void *unused) {
    (void)unused;
    atomic_fetch_add(&destroyed, 1);
}
static void *has(void *me) {
    pthread_setspecific(first, me);
    pthread_setspecific(second, me);
    return 0;
}
static void *looks(void *me) {
    seen = atomic_load(&destroyed);
    return me;
}
int main(void) {
    pthread_key_create(&first, destroy);
    pthread_key_create(&second, destroy);
    RUN(has, looks);
    printf("%d\n", seen);
}
