// Two threads read from one descriptor: who comes first gets what comes first.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 2
// heddle: count = 1
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int file;
static char bytes[2];

static void *take(void *at)
{
    assert(read(file, at, 1) == 1);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    file = open("/proc/self/mem", O_RDONLY);
    close(file);
    file = open("heddle-test-position", O_RDWR | O_CREAT, 0600);
    assert(write(file, "ab", 2) == 2);
    assert(lseek(file, 0, SEEK_SET) == 0);
    pthread_create(&one, NULL, take, &bytes[0]);
    pthread_create(&two, NULL, take, &bytes[1]);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(bytes[0] == 'a'); // heddle: here
    return 0;
}
