// One thread waits for another at a pipe: it cannot go on before something is there.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int value;

static void *reader(void *unused)
{
    char byte = 0;
    assert(read(ends[0], &byte, 1) == 1 && byte == 'x');
    return unused;
}

int main(void)
{
    pthread_t thread;
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, reader, NULL);
    value = 1;
    assert(write(ends[1], "x", 1) == 1);
    pthread_join(thread, NULL);
    return 0;
}
