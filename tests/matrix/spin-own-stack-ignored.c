// A thread waits for a variable on its own stack. Where races are not reported, that is a wait like others, and it ends.
//
// heddle: verdict = safe
// heddle: flags = --hang-timeout 500ms --races ignore
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
