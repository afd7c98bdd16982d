// Processes that the program makes run by themselves: the program waits for them, and goes on.
//
// heddle: verdict = safe
// heddle: executions = 234
#include <assert.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    int status;
    pid_t child;
    char line[20] = "", *arguments[] = {"false", NULL};
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);

    child = fork();
    if (child == 0)
        _exit(3);
    assert(waitpid(child, &status, 0) == child);
    assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);

    child = fork();
    if (child == 0) {
        execlp("sh", "sh", "-c", "exit 4", NULL);
        _exit(1);
    }
    assert(wait(&status) == child);
    assert(WIFEXITED(status) && WEXITSTATUS(status) == 4);

    status = system("exit 5");
    assert(WIFEXITED(status) && WEXITSTATUS(status) == 5);

    FILE *pipe = popen("echo hello", "r");
    assert(pipe);
    assert(fgets(line, sizeof line, pipe));
    assert(strcmp(line, "hello\n") == 0);
    assert(pclose(pipe) == 0);

    assert(posix_spawnp(&child, "false", NULL, NULL, arguments, environ) == 0);
    assert(waitpid(child, &status, 0) == child);
    assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);

    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
