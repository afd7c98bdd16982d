// A stack of free cells without locks: a pop empties the link of the top cell before it moves the top, so that others cannot
// take the cell, and puts the link back if it has lost. A thread that lost may put back a link that is old by then, if the cell
// was taken and given back meanwhile, and somebody takes a cell that another thread still has. Three threads and many
// preemptions are needed.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef K
#define K 2 // how often each thread takes a cell
#endif
#define CELLS 3
#define THREADS 3
#define NONE (-1)

static atomic_int top, free_cells = CELLS, link_of[CELLS], user_of[CELLS];

static int take(void)
{
    while (free_cells > 1) {
        int cell = top;
        int below = atomic_exchange(&link_of[cell], NONE);
        if (below == NONE)
            continue;
        int expected = cell;
        if (atomic_compare_exchange_strong(&top, &expected, below)) {
            atomic_fetch_sub(&free_cells, 1);
            return cell;
        }
        atomic_exchange(&link_of[cell], below);
    }
    return NONE;
}

static void give_back(int cell)
{
    int above = top;
    do
        link_of[cell] = above;
    while (!atomic_compare_exchange_strong(&top, &above, cell));
    atomic_fetch_add(&free_cells, 1);
}

static void *work(void *unused)
{
    for (int i = 0; i < K; i++) {
        int cell = take();
        if (cell == NONE)
            continue;
        assert(atomic_fetch_add(&user_of[cell], 1) == 0);
        atomic_fetch_sub(&user_of[cell], 1);
        give_back(cell);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < CELLS; i++)
        link_of[i] = i + 1 < CELLS ? i + 1 : NONE;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
