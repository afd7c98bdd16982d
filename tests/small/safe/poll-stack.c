// Two threads take turns by a variable on the stack of one of them, under a lock. Each looks at it until it is its turn.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void pass(int *turn, int from, int to)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        int mine = *turn == from;
        if (mine)
            *turn = to;
        pthread_mutex_unlock(&lock);
        if (mine)
            break;
    }
}

static void *other(void *turn)
{
    pass(turn, 1, 0);
    pass(turn, 1, 0);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int turn = 0;
    pthread_create(&thread, NULL, other, &turn);
    pass(&turn, 0, 1);
    pass(&turn, 0, 1);
    pthread_join(thread, NULL);
    return turn;
}
