// A thread waits for a variable that nobody writes, while others go on: a hang.
//
// heddle: verdict = found
// heddle: kind = hang
// heddle: flags = --hang-timeout 500ms
#include <pthread.h>

static volatile int other;

static void *set(void *unused)
{
    other = 1;
    return unused;
}

int main(void)
{
    volatile int go = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, set, (void *)&go);
    while (!go) // heddle: here
        ;
    pthread_join(thread, NULL);
    return 0;
}
