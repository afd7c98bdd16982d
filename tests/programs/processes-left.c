// A child that nobody waits for: it is ended with the execution that made it.
//
// heddle: verdict = safe
// heddle: executions = 6
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    char line[100];
    FILE *stream = popen("ps -o args= -g $(ps -o pgid= -p $$) | grep -c 'sleep 12[3]'", "r");
    assert(stream && fgets(line, sizeof line, stream));
    pclose(stream);
    assert(atoi(line) == 0);
    if (fork() == 0)
        execlp("sleep", "sleep", "123", NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
