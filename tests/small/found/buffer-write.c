// One thread writes to a pipe what another one changes.
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
    if (write(ends[1], buffer, 4) != 4)
        return NULL;
    return unused;
}

int main(void)
{
    pthread_t thread;
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&thread, NULL, one, NULL);
    buffer[2] = 's';
    pthread_join(thread, NULL);
    return 0;
}
