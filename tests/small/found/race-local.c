// A local variable whose address was given away.
//
// heddle: kind = data-race
#include <pthread.h>

static void *work(void *argument)
{
    *(int *)argument = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int local = 0;
    pthread_create(&thread, NULL, work, &local);
    local++;
    pthread_join(thread, NULL);
    return 0;
}
