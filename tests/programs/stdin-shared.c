// Two threads read standard input: who comes first gets what comes first.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 2
// heddle: count = 1
// heddle: flags = --stdin /etc/passwd
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static char bytes[2];

static void *take(void *into)
{
    assert(read(0, into, 1) == 1);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, take, &bytes[0]);
    pthread_create(&two, NULL, take, &bytes[1]);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(bytes[0] == 'r' && bytes[1] == 'o'); // heddle: here
    return 0;
}
