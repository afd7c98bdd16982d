// A block is freed while another thread may still write to it. Where races are not reported, the use after free is.
//
// heddle: kind = memory
// heddle: flags = --races ignore --all
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *number;
static atomic_int other;

static void *set(void *unused)
{
    atomic_fetch_add(&other, 1);
    *number = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    number = calloc(1, sizeof *number);
    pthread_create(&thread, NULL, set, NULL);
    atomic_fetch_add(&other, 1);
    free(number);
    atomic_fetch_add(&other, 1);
    pthread_join(thread, NULL);
    return 0;
}
