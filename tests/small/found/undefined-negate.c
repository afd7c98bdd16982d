// The smallest number has no opposite.
//
// heddle: kind = undefined
// heddle: flags = --ub
#include <limits.h>

int main(void)
{
    volatile int x = INT_MIN;
    x = -x;
    return 0;
}
