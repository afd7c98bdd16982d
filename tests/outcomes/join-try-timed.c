// First an attempt to join, then a join with a time-out; the last one waits.
// heddle: outcome = 0 3
// heddle: outcome = 16 0
// heddle: outcome = 16 110
#include "run.h"
static void *body_of(void *me) { return me; }
int main(void) {
    pthread_t thread;
    struct timespec until = soon();
    pthread_create(&thread, 0, body_of, 0);
    int first = pthread_tryjoin_np(thread, 0);
    int second = first ? pthread_timedjoin_np(thread, 0, &until) : ESRCH;
    if (second == ETIMEDOUT)
        pthread_join(thread, 0);
    printf("%d %d\n", first, second);
}
