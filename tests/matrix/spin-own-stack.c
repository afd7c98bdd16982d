// A thread waits for a variable on its own stack, in a loop of plain accesses. Another thread writes it: a data race, and no
// hang.
//
// heddle: verdict = found
// heddle: kind = data-race
// heddle: flags = --hang-timeout 500ms
#include <pthread.h>

static void *set(void *go)
{
    *(volatile int *)go = 1;
    return NULL;
}

int main(void)
{
    volatile int go = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, set, (void *)&go);
    while (!go) {
    }
    pthread_join(thread, NULL);
    return 0;
}
