// A wait in the kernel by a system call that nobody knows: it is named, and is no crash of the program.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#define _GNU_SOURCE
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return 1;
    struct pollfd file = { ends[0], POLLIN, 0 };
    return syscall(SYS_ppoll, &file, 1, NULL, NULL, 8) != 1;
}
