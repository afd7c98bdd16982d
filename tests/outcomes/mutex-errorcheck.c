// A relock is EDEADLK in every order, and unlocking what is not one's own is EPERM, whether another has it or nobody.
// heddle: outcome = 35 1
#include "run.h"
static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int again, stranger;
static void *owner(void *me) {
    pthread_mutex_lock(&lock);
    again = pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return me;
}
static void *other(void *me) {
    stranger = pthread_mutex_unlock(&lock);
    return me;
}
int main(void) {
    RUN(owner, other);
    printf("%d %d\n", again, stranger);
}
