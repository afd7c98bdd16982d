// A block that is freed under the lock under which the other thread uses it: one order of the two is a use after free.
//
// heddle: verdict = found
// heddle: kind = memory
#include <pthread.h>
#include <stdlib.h>

struct node {
    int key, value;
};

static struct node *shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *use(void *unused)
{
    pthread_mutex_lock(&lock);
    shared->value = 1; // heddle: here
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    shared = calloc(1, sizeof *shared);
    pthread_create(&thread, NULL, use, NULL);
    pthread_mutex_lock(&lock);
    free(shared);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
