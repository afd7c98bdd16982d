// One thread reads from a pipe into what another one looks at.
//
// heddle: kind = data-race
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char buffer[64] = "text";
static int ends[2];

static void *one(void *unused)
{
    if (read(ends[0], buffer, 16) != 4)
        return NULL;
    return unused;
}

int main(void)
{
    pthread_t thread;
    if (pipe(ends) != 0)
        return 1;
    if (write(ends[1], "abcd", 4) != 4)
        return 1;
    pthread_create(&thread, NULL, one, NULL);
    volatile char c = buffer[3];
    (void)c;
    pthread_join(thread, NULL);
    return 0;
}
