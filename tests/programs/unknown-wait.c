// A wait in the kernel by a system call that nobody is told of: it is named, and is no crash of the program.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <poll.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return 1;
    struct pollfd file = { ends[0], POLLIN, 0 };
    long result;
    // poll, for ever.
    __asm__ volatile("syscall" : "=a"(result) : "a"(7L), "D"(&file), "S"(1L), "d"(-1L) : "rcx", "r11", "memory");
    return result != 1;
}
