// A thread sets the variable `environ` itself while another asks for the environment.
//
// heddle: kind = data-race
#include <pthread.h>
#include <stdlib.h>

extern char **environ;
static char *mine[] = {"NAME=value", NULL};

static void *work(void *unused)
{
    environ = mine;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    char *value = getenv("NAME");
    pthread_join(thread, NULL);
    return value != NULL && value[0] != 'v';
}
