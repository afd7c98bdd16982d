// A program that becomes another one.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <unistd.h>

int main(void)
{
    execlp("true", "true", NULL);
    return 1;
}
