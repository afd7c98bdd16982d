// A string is written while it is measured.
//
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>
#include <string.h>

char text[16] = "abc";

static void *one(void *unused)
{
    strcpy(text, "defg");
    return unused;
}

static void *two(void *unused)
{
    assert(strlen(text) != 7);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
