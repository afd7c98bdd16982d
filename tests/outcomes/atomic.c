// Increments by load and store lose each other; those by one operation do not.
// heddle: outcome = 1 2
// heddle: outcome = 2 2
#include "run.h"
#include <stdatomic.h>
static atomic_int split, whole;
static void *adds(void *me) {
    int value = atomic_load(&split);
    atomic_store(&split, value + 1);
    atomic_fetch_add(&whole, 1);
    return me;
}
int main(void) {
    RUN(adds, adds);
    printf("%d %d\n", split, whole);
}
