// A list of free cells whose head has no count of changes: the ABA problem with three threads. A thread that was interrupted in a
// take finds the same head again and puts a cell in its place that another thread has. K is how often each thread takes two cells.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef K
#define K 1
#endif
#define CELLS 4
#define THREADS 3

static atomic_int head = 1, next[CELLS + 1], users[CELLS + 1];

static int take(void)
{
    int cell = head;
    while (cell != 0 && !atomic_compare_exchange_strong(&head, &cell, next[cell]))
        ;
    if (cell != 0)
        assert(atomic_fetch_add(&users[cell], 1) == 0);
    return cell;
}

static void give(int cell)
{
    if (cell == 0)
        return;
    atomic_fetch_sub(&users[cell], 1);
    int first = head;
    do
        next[cell] = first;
    while (!atomic_compare_exchange_strong(&head, &first, cell));
}

static void *work(void *unused)
{
    for (int i = 0; i < K; i++) {
        int one = take(), two = take();
        give(one);
        give(two);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 1; i < CELLS; i++)
        next[i] = i + 1;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
