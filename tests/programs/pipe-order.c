// Two threads write to a pipe: either may be the first.
//
// heddle: verdict = found
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *byte)
{
    assert(write(ends[1], byte, 1) == 1);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    char bytes[2];
    assert(pipe(ends) == 0);
    pthread_create(&one, NULL, writer, "1");
    pthread_create(&two, NULL, writer, "2");
    assert(read(ends[0], &bytes[0], 1) == 1);
    assert(read(ends[0], &bytes[1], 1) == 1);
    assert(bytes[0] == '1'); // heddle: here
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
