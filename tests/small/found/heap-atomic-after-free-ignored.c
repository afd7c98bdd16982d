// A block is freed while another thread may still add to it. Where races are not reported, the use after free is.
//
// heddle: kind = memory
// heddle: flags = --races ignore --all
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int *counter;
static atomic_int other;

static void *add(void *unused)
{
    atomic_fetch_add(&other, 1);
    atomic_fetch_add(counter, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    counter = calloc(1, sizeof *counter);
    pthread_create(&thread, NULL, add, NULL);
    atomic_fetch_add(&other, 1);
    free(counter);
    pthread_join(thread, NULL);
    return 0;
}
