// A request is obeyed at a cancellation point that comes after it; or it comes too late.
// heddle: outcome = 0 cancelled
// heddle: outcome = 1 cancelled
// heddle: outcome = 2 cancelled
// heddle: outcome = 2 ended
#include "run.h"
static int steps;
static void *body_of(void *unused) {
    pthread_testcancel();
    steps = 1;
    pthread_testcancel();
    steps = 2;
    pthread_testcancel();
    return unused;
}
int main(void) {
    pthread_t thread;
    void *value;
    pthread_create(&thread, 0, body_of, 0);
    pthread_cancel(thread);
    pthread_join(thread, &value);
    printf("%d %s\n", steps, value == PTHREAD_CANCELED ? "cancelled" : "ended");
}
