// A program that waits for a line from its standard input.
#include <pthread.h>
#include <stdio.h>

static void *work(void *unused)
{
    char line[80];
    if (fgets(line, sizeof line, stdin))
        printf("read: %s", line);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
