// Two threads that give way to each other for ever: each takes its own, sees that the other has its own, and puts it back. Nothing is
// stuck, and nothing ever happens. The bound on operations ends it, and what is behind it is found.
//
// heddle: kind = livelock
// heddle: flags = --max-steps 40
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int wants[2];

static void *polite(void *argument)
{
    int me = *(int *)argument;
    for (;;) {
        wants[me] = 1;
        if (!wants[1 - me])
            break;
        wants[me] = 0;
    }
    wants[me] = 0;
    return NULL;
}

int main(void)
{
    static int numbers[2] = {0, 1};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, polite, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
