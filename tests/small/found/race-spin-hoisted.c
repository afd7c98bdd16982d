// The compiler may read the variable once, in front of the loop. Then the loop never ends; what is wrong is the race.
//
// heddle: kind = data-race
// heddle: flags = --hang-timeout 500ms -O1
#include <pthread.h>

static int go;

static void *set(void *unused)
{
    go = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    while (!go) __asm__ volatile("pause");
    pthread_join(thread, NULL);
    return 0;
}
