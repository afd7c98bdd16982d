// A block is freed by one thread while another still reads it, and nothing orders the two. In the other order that is a use after free,
// which a search for all findings comes to as well.
//
// heddle: verdict = found
// heddle: kind = data-race
// heddle: more = yes
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static int *shared;
static int seen;

static void *read_it(void *unused)
{
    seen = *shared; // heddle: here
    return unused;
}

static void *free_it(void *unused)
{
    free(shared); // heddle: here
    return unused;
}

int main(void)
{
    shared = malloc(sizeof *shared);
    *shared = 1;
    pthread_t one, two;
    pthread_create(&one, NULL, read_it, NULL);
    pthread_create(&two, NULL, free_it, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return seen;
}
