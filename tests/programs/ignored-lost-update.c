// Without the race itself being reported, the lost update that it makes possible is found: the accesses of the two threads
// are in four orders (the two reads commute), and in two of them one update is lost.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 4
// heddle: count = 2
// heddle: flags = --races ignore -O0
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int counter;

static void *increment(void *unused)
{
    counter++;
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, increment, NULL);
    pthread_create(&two, NULL, increment, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(counter == 2); // heddle: here
    return 0;
}
