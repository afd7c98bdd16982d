// Threads that write to neighbouring bytes do not race, nor do those that only read, nor atomics among each other.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

enum { THREADS = 3 };

static char bytes[8];
static const char text[] = "read by all";
static atomic_int sum;

static void *work(void *argument)
{
    char *mine = argument;
    *mine = (char)strlen(text);
    atomic_fetch_add(&sum, *mine);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &bytes[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(atomic_load(&sum) == THREADS * 11);
    return 0;
}
