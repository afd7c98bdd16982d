// What is nested is nobody else's business.
// heddle: outcome = 112
// heddle: outcome = 211
// heddle: executions = 2
#include "run.h"
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static void *nests(void *me) {
    pthread_mutex_lock(&lock);
    add(me);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    add(me);
    pthread_mutex_unlock(&lock);
    return 0;
}
static void *once(void *me) {
    pthread_mutex_lock(&lock);
    add(me);
    pthread_mutex_unlock(&lock);
    return 0;
}
int main(void) {
    RUN(nests, once);
    puts(text);
}
