// A slot that is stored to, then shared and compared: the value before the store decides nothing.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static void *claim(void *place)
{
    int expected = 0;
    atomic_compare_exchange_strong((atomic_int *)place, &expected, 1);
    return NULL;
}

static int round_of(void)
{
    atomic_int places[64];
    for (int i = 0; i < 64; i++)
        atomic_store(&places[i], 0);
    pthread_t thread;
    pthread_create(&thread, NULL, claim, &places[63]);
    claim(&places[63]);
    pthread_join(thread, NULL);
    return atomic_load(&places[63]);
}

int main(void)
{
    for (int i = 0; i < 2; i++) {
        char text[40];
        snprintf(text, sizeof text, "%g", i / 3.0);
        free(malloc(100));
        if (round_of() != 1)
            abort();
    }
    return 0;
}
