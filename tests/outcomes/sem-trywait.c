// Two for three: two of them have one, whichever.
// heddle: outcome = 0 0 11
// heddle: outcome = 0 11 0
// heddle: outcome = 11 0 0
#include "run.h"
static sem_t some;
static int error[4];
static void *tries(void *me) {
    error[(long)me] = sem_trywait(&some) ? errno : 0;
    return 0;
}
int main(void) {
    sem_init(&some, 0, 2);
    RUN(tries, tries, tries);
    printf("%d %d %d\n", error[1], error[2], error[3]);
}
