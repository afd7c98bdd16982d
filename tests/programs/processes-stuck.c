// A child that does not end in time: what would follow is not known.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int status;
    if (fork() == 0)
        for (;;)
            pause();
    wait(&status);
    return 0;
}
