// Three threads under one lock: every order.
// heddle: outcome = 123
// heddle: outcome = 132
// heddle: outcome = 213
// heddle: outcome = 231
// heddle: outcome = 312
// heddle: outcome = 321
// heddle: executions = 6
#include "run.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *body_of(void *me) {
    pthread_mutex_lock(&lock);
    add(me);
    pthread_mutex_unlock(&lock);
    return 0;
}
int main(void) {
    RUN(body_of, body_of, body_of);
    puts(text);
}
