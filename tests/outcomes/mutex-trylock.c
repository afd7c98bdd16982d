// Two critical sections against two attempts: each attempt comes before, in one of the sections, between or after.
// heddle: outcome = 0 0
// heddle: outcome = 0 16
// heddle: outcome = 16 0
// heddle: outcome = 16 16
#include "run.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;
static void *locks(void *me) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return me;
}
static int try_it(void) {
    int error = pthread_mutex_trylock(&lock);
    if (!error)
        pthread_mutex_unlock(&lock);
    return error;
}
static void *tries(void *me) {
    first = try_it();
    second = try_it();
    return me;
}
int main(void) {
    RUN(locks, tries);
    printf("%d %d\n", first, second);
}
