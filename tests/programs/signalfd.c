// Signals as a file: those are the kernel's, and Heddle does not know when they come.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <signal.h>
#include <sys/signalfd.h>

int main(void)
{
    sigset_t none;
    sigemptyset(&none);
    return signalfd(-1, &none, 0) < 0;
}
