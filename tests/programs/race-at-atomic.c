// The later access of a race is an atomic one, which is an event: it is told where that is, and who does it.
//
// heddle: verdict = found
// heddle: kind = data-race
#include <pthread.h>
#include <stdint.h>

// Not static: nobody reads it, and compilers leave out what they can see that nobody does.
_Alignas(8) unsigned char buffer[8];

static void *plain(void *unused)
{
    buffer[0] = 3; // heddle: here
    return unused;
}

static void *atomic(void *unused)
{
    __atomic_store_n((uint64_t *)buffer, 1, __ATOMIC_RELAXED); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, plain, NULL);
    pthread_create(&two, NULL, atomic, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
