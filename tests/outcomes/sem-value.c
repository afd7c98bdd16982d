// Posts commute, looking at the count does not.
// heddle: outcome = 0
// heddle: outcome = 1
// heddle: outcome = 2
// heddle: executions = 4
#include "run.h"
static sem_t some;
static int value;
static void *posts(void *me) {
    sem_post(&some);
    return me;
}
static void *looks(void *me) {
    sem_getvalue(&some, &value);
    return me;
}
int main(void) {
    sem_init(&some, 0, 0);
    RUN(posts, posts, looks);
    printf("%d\n", value);
}
