// There is one in time, or not.
// heddle: outcome = 0
// heddle: outcome = 110
// heddle: executions = 2
#include "run.h"
static sem_t some;
static int error;
static void *posts(void *me) {
    sem_post(&some);
    return me;
}
static void *waits(void *me) {
    struct timespec until = soon();
    error = sem_timedwait(&some, &until) ? errno : 0;
    return me;
}
int main(void) {
    sem_init(&some, 0, 0);
    RUN(posts, waits);
    printf("%d\n", error);
}
