// A thread that asks for four gibibytes, and writes to all of them.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *work(void *unused)
{
    size_t size = (size_t)4 << 30;
    char *block = malloc(size);
    if (!block)
        return unused;
    memset(block, 1, size);
    free(block);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
