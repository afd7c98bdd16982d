// Main returns -1 in one order: the status is 255.
//
// heddle: verdict = found
// heddle: kind = failed
#include <pthread.h>
#include <stdatomic.h>

static atomic_int set;

static void *store(void *unused)
{
    set = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, store, NULL);
    int seen = set;
    pthread_join(thread, NULL);
    return seen ? -1 : 0;
}
