// The main thread creates threads for ever, and nothing is wrong with them. The verdict says where it was cut off.
//
// heddle: flags = --timeout 20s
#include <pthread.h>
#include <stddef.h>

static void *nothing(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (;;)
        pthread_create(&thread, NULL, nothing, NULL);
}
