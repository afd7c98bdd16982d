// Peterson's lock with the turn set too early.
//
// heddle: kind = data-race
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
int n;

static void *one(void *unused)
{
    turn = 1;
    wants[0] = 1;
    while (wants[1] && turn == 1)
        ;
    n++;
    wants[0] = 0;
    return unused;
}

static void *two(void *unused)
{
    turn = 0;
    wants[1] = 1;
    while (wants[0] && turn == 0)
        ;
    n++;
    wants[1] = 0;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
