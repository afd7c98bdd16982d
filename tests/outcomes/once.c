// Whoever comes first runs it, once.
// heddle: outcome = 1 1
// heddle: outcome = 2 1
// heddle: outcome = 3 1
#include "run.h"
static pthread_once_t once = PTHREAD_ONCE_INIT;
static __thread long me_here;
static long first;
static int times;
static void begin(void) {
    first = me_here;
    times++;
}
static void *body_of(void *me) {
    me_here = (long)me;
    pthread_once(&once, begin);
    return 0;
}
int main(void) {
    RUN(body_of, body_of, body_of);
    printf("%ld %d\n", first, times);
}
