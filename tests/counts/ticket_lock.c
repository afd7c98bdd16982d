// N threads take a ticket lock, once each. A look at the number that is served, when it is another's turn, is no execution of its own.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int next, served;
static int count;

static void *work(void *unused)
{
    int mine = atomic_fetch_add(&next, 1);
    while (atomic_load(&served) != mine)
        ;
    count++;
    atomic_fetch_add(&served, 1);
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return count != N;
}
