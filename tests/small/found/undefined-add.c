// Signed addition overflows.
//
// heddle: kind = undefined
// heddle: flags = --ub
#include <limits.h>

int main(void)
{
    volatile int x = INT_MAX;
    x = x + 1;
    return 0;
}
