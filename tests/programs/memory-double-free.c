// Two threads that each take themselves for the last user of a block. The block is not reused in between, so that the
// second free is seen as what it is.
//
// heddle: verdict = found
// heddle: kind = memory
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static void *block;
static atomic_int users = 2;

static void *leave(void *unused)
{
    // Should be one operation.
    int left = atomic_load(&users) - 1;
    atomic_store(&users, left);
    atomic_thread_fence(memory_order_seq_cst);
    if (left <= 1 && atomic_exchange(&users, -1) != 5)
        free(block); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t one, two;
    block = malloc(24);
    pthread_create(&one, NULL, leave, NULL);
    pthread_create(&two, NULL, leave, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
