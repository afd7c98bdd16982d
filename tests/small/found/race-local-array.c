// An element of a local array whose beginning another thread was given.
//
// heddle: kind = data-race
#include <pthread.h>

static void *set(void *array)
{
    ((int *)array)[9] = 1;
    return NULL;
}

static int go(int n)
{
    int values[n];
    for (int i = 0; i < n; i++)
        values[i] = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, set, values);
    int last = values[9];
    pthread_join(thread, NULL);
    return last + values[0];
}

int main(void)
{
    return go(10) > 1;
}
