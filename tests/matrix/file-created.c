// A thread that creates a file anew cuts off what another one reads: `creat` has an order.
//
// heddle: verdict = found
// heddle: kind = assertion
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *create(void *unused)
{
    close(creat("heddle-matrix-created", 0644));
    return unused;
}

int main(void)
{
    pthread_t thread;
    char text[8];
    int file = open("heddle-matrix-created", O_CREAT | O_RDWR | O_TRUNC, 0644);
    assert(write(file, "hello", 5) == 5);
    pthread_create(&thread, NULL, create, NULL);
    ssize_t count = pread(file, text, 5, 0);
    pthread_join(thread, NULL);
    assert(count == 5); // heddle: here
    return 0;
}
