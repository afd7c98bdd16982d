// A reader of a sequence lock: it waits while the number is odd, and reads again if it has changed.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int sequence, first, second;

static void *write_twice(void *unused)
{
    for (int i = 1; i <= 2; i++) {
        atomic_fetch_add(&sequence, 1);
        atomic_store(&first, i);
        atomic_store(&second, i);
        atomic_fetch_add(&sequence, 1);
    }
    return unused;
}

static void *read_once(void *unused)
{
    int before, one, two;
    do {
        while ((before = atomic_load(&sequence)) & 1)
            ;
        one = atomic_load(&first);
        two = atomic_load(&second);
    } while (atomic_load(&sequence) != before);
    assert(one == two);
    return unused;
}

int main(void)
{
    pthread_t writer, reader;
    pthread_create(&writer, NULL, write_twice, NULL);
    pthread_create(&reader, NULL, read_once, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
