// A copy into a block that is one byte too small, in the order in which the longer name comes last.
//
// heddle: verdict = found
// heddle: kind = memory
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const char *name = "short";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *rename_it(void *unused)
{
    pthread_mutex_lock(&lock);
    name = "a longer";
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, rename_it, NULL);
    pthread_mutex_lock(&lock);
    char *copy = malloc(8);
    strcpy(copy, name); // heddle: here
    pthread_mutex_unlock(&lock);
    free(copy);
    pthread_join(thread, NULL);
    return 0;
}
