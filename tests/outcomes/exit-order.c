// main ends by pthread_exit: whoever of the two others is the last one prints.
// heddle: outcome = 1
// heddle: outcome = 2
#include "run.h"
#include <stdatomic.h>
static atomic_int ended;
static void *body_of(void *me) {
    if (atomic_fetch_add(&ended, 1) == 1)
        printf("%ld\n", (long)me);
    return 0;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, body_of, (void *)1);
    pthread_create(&thread, 0, body_of, (void *)2);
    pthread_exit(0);
}
