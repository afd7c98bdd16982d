// A buffer that goes with a message through a pipe: who gets the message may use the buffer, as the sender has read it before.
#include <pthread.h>
#include <unistd.h>

static char buffer[8] = "message";
static int ends[2];

static void *receive(void *unused)
{
    char got[8];
    if (read(ends[0], got, sizeof got) == sizeof got)
        buffer[0] = 'M';
    return unused;
}

int main(void)
{
    pthread_t thread;
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&thread, NULL, receive, NULL);
    if (write(ends[1], buffer, sizeof buffer) != sizeof buffer)
        return 1;
    pthread_join(thread, NULL);
    return 0;
}
