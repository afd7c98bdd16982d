// Everything that is just inside: last bytes, zero sizes, blocks that grow and shrink, reuse, neighbours.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    for (size_t size = 0; size < 70; size++) {
        volatile char *block = malloc(size);
        for (size_t i = 0; i < size; i++)
            block[i] = (char)i;
        block = realloc((void *)block, size + 5);
        for (size_t i = 0; i < size + 5; i++)
            block[i] = (char)i;
        block = realloc((void *)block, size / 2 + 1);
        assert(size == 0 || block[size / 2] == (char)(size / 2));
        free((void *)block);
    }
    for (int i = 0; i < 3000; i++) {
        char *block = malloc(100);
        memset(block, i, 100);
        free(block);
    }
    char *text = strdup("0123456789abcde");
    assert(strlen(text) == 15 && strchr(text, 'e') == text + 14);
    struct { char a; short b; long double c; } *mixed = malloc(sizeof *mixed);
    memset(mixed, 0, sizeof *mixed);
    mixed->c += 1;
    pthread_mutex_lock(&lock);
    free(text);
    free(mixed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
