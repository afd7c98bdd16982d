// A spin lock, and an attempt.
// heddle: outcome = 12
// heddle: outcome = 21
// heddle: outcome = 1
#include "run.h"
static pthread_spinlock_t lock;
static void *locks(void *me) {
    pthread_spin_lock(&lock);
    add(me);
    pthread_spin_unlock(&lock);
    return 0;
}
static void *tries(void *me) {
    if (pthread_spin_trylock(&lock) == 0) {
        add(me);
        pthread_spin_unlock(&lock);
    }
    return 0;
}
int main(void) {
    pthread_spin_init(&lock, 0);
    RUN(locks, tries);
    puts(text);
}
