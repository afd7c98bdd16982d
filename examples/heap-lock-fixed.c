// A list whose nodes and locks live on the heap, walked hand over hand in one direction.
//
// The same as heap-lock.c, but both threads walk forward. The second one can never overtake the first: who takes the
// first node's lock first leads all the way, so two executions cover everything.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define NODES 3

struct node {
    pthread_mutex_t lock;
    int visits;
    struct node *next;
};

static struct node *first, *last;

static void append(void)
{
    struct node *node = calloc(1, sizeof *node);
    if (!node)
        abort();
    pthread_mutex_init(&node->lock, NULL);
    if (last)
        last->next = node;
    else
        first = node;
    last = node;
}

static void *walk(void *unused)
{
    struct node *node = first;
    pthread_mutex_lock(&node->lock);
    node->visits++;
    while (node->next) {
        struct node *next = node->next;
        pthread_mutex_lock(&next->lock);
        next->visits++;
        pthread_mutex_unlock(&node->lock);
        node = next;
    }
    pthread_mutex_unlock(&node->lock);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    for (int i = 0; i < NODES; i++)
        append();
    pthread_create(&one, NULL, walk, NULL);
    pthread_create(&two, NULL, walk, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    while (first) {
        struct node *next = first->next;
        assert(first->visits == 2);
        pthread_mutex_destroy(&first->lock);
        free(first);
        first = next;
    }
    return 0;
}
