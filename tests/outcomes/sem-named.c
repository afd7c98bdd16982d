// Of two that make the same name one does.
// heddle: outcome = 1 0
// heddle: outcome = 0 1
#include "run.h"
#include <fcntl.h>
static int made[3];
static void *makes(void *me) {
    made[(long)me] = sem_open("/outcomes", O_CREAT | O_EXCL, 0600, 1) != SEM_FAILED;
    return 0;
}
int main(void) {
    RUN(makes, makes);
    printf("%d %d\n", made[1], made[2]);
}
