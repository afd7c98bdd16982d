// An atomic store and a plain load of the same object race: being atomic on one side only is not enough.
//
// heddle: verdict = found
// heddle: kind = data-race
#include <pthread.h>
#include <stddef.h>

static int flag;

static void *set(void *unused)
{
    __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST); // heddle: here
    return unused;
}

static void *look(void *unused)
{
    return flag ? unused : NULL; // heddle: here
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, set, NULL);
    pthread_create(&two, NULL, look, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
