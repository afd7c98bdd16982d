// The kernel runs a handler for the end of a child whenever that is: at any instruction.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t done;

static void handle(int signal)
{
    done = signal;
}

int main(void)
{
    signal(SIGCHLD, handle);
    if (fork() == 0) // heddle: here
        _exit(0);
    while (!done)
        wait(NULL);
    return 0;
}
