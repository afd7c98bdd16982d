// A list is extended while another walks it.
//
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>

struct node {
    struct node *next;
};

struct node first, second;

static void *extend(void *unused)
{
    first.next = &second;
    return unused;
}

static void *walk(void *unused)
{
    int n = 0;
    for (struct node *at = &first; at; at = at->next)
        n++;
    assert(n < 3);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, extend, NULL);
    pthread_create(&threads[1], NULL, walk, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
