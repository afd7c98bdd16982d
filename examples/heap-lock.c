// A list whose nodes and locks live on the heap, walked hand over hand: take the next node's lock, then let go of
// this one's.
//
// One thread walks forward, the other one backward. Where they meet, each holds a node and wants the other's.
//
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: executions = 4
// heddle: count = 2
#include <pthread.h>
#include <stdlib.h>

#define NODES 3

struct node {
    pthread_mutex_t lock;
    int visits;
    struct node *next, *previous;
};

static struct node *first, *last;

static void append(void)
{
    struct node *node = calloc(1, sizeof *node);
    if (!node)
        abort();
    pthread_mutex_init(&node->lock, NULL);
    node->previous = last;
    if (last)
        last->next = node;
    else
        first = node;
    last = node;
}

static void *forward(void *unused)
{
    struct node *node = first;
    pthread_mutex_lock(&node->lock);
    node->visits++;
    while (node->next) {
        struct node *next = node->next;
        pthread_mutex_lock(&next->lock); // heddle: here
        next->visits++;
        pthread_mutex_unlock(&node->lock);
        node = next;
    }
    pthread_mutex_unlock(&node->lock);
    return unused;
}

static void *backward(void *unused)
{
    struct node *node = last;
    pthread_mutex_lock(&node->lock);
    node->visits++;
    while (node->previous) {
        struct node *next = node->previous;
        pthread_mutex_lock(&next->lock); // heddle: here
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
    pthread_create(&one, NULL, forward, NULL);
    pthread_create(&two, NULL, backward, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    while (first) {
        struct node *next = first->next;
        pthread_mutex_destroy(&first->lock);
        free(first);
        first = next;
    }
    return 0;
}
