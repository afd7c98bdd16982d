// A flag in a slot that was used before is cleared, shared and waited for.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static void *raise_flag(void *flag)
{
    atomic_store((atomic_int *)flag, 1);
    return NULL;
}

static void wait_for_it(void)
{
    atomic_int flags[64];
    for (int i = 0; i < 64; i++)
        atomic_store(&flags[i], 0);
    pthread_t thread;
    pthread_create(&thread, NULL, raise_flag, &flags[63]);
    while (!atomic_load(&flags[63]))
        ;
    pthread_join(thread, NULL);
}

int main(void)
{
    for (int i = 0; i < 2; i++) {
        char text[40];
        snprintf(text, sizeof text, "%g", i / 3.0);
        free(malloc(100));
        wait_for_it();
    }
    return 0;
}
