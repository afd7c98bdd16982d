// Two threads print into one buffer.
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
    sprintf(buffer, "%d", 12);
    return unused;
}

int main(void)
{
    pthread_t thread;
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&thread, NULL, one, NULL);
    sprintf(buffer, "%d", 13);
    pthread_join(thread, NULL);
    return 0;
}
