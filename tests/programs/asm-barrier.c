// Inline assembly without an atomic instruction orders nothing that Heddle would have to see.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count;

static void *add(void *unused)
{
    __asm__ volatile("" ::: "memory");
    __asm__ volatile("pause");
    count++;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
