// A loop that looks at a place nobody writes, and ends because of what a function of libc remembers. Calls load the function's address.
//
// heddle: flags = -fno-plt
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int never;
static unsigned seed = 1;

static void *work(void *argument)
{
    while (!never)
        if (rand_r(&seed) % 7 == 3)
            break;
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
}
