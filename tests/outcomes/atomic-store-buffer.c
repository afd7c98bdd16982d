// Both threads store and then look at the other's place: under sequential consistency at least one sees the other's store.
// heddle: outcome = 0 1
// heddle: outcome = 1 0
// heddle: outcome = 1 1
// heddle: executions = 3
#include "run.h"
#include <stdatomic.h>
static atomic_int x, y;
static int seen[3];
static void *first(void *me) {
    x = 1;
    seen[(long)me] = y;
    return 0;
}
static void *second(void *me) {
    y = 1;
    seen[(long)me] = x;
    return 0;
}
int main(void) {
    RUN(first, second);
    printf("%d %d\n", seen[1], seen[2]);
}
