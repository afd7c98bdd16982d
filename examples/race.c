// Two threads count without a lock. `visits++` reads, adds and writes, and nothing orders the two: a data race, which is
// undefined behaviour in C, whatever comes out. Heddle names both accesses.
// heddle: verdict = found
// heddle: kind = data-race
// heddle: executions = 4
#include <pthread.h>
#include <stddef.h>

static int visits;

static void *visit(void *unused)
{
    visits++; // heddle: here
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, visit, NULL);
    pthread_create(&two, NULL, visit, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
