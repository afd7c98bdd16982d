// Not looked for.
//
// heddle: flags = --livelocks off --max-steps 40 --max-executions 300
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2];

static void *pass(void *argument)
{
    int me = argument != NULL;
    for (;;) {
        atomic_store(&wants[me], 1);
        if (!atomic_load(&wants[1 - me]))
            break;
        atomic_store(&wants[me], 0);
    }
    atomic_store(&wants[me], 0);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, pass, NULL);
    pthread_create(&threads[1], NULL, pass, threads);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
