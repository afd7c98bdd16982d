// Unsigned addition wraps, and may.
//
// heddle: flags = --ub
#include <assert.h>
#include <limits.h>

#include <limits.h>

int main(void)
{
    volatile unsigned x = UINT_MAX;
    x = x + 1;
    assert(x == 0);
    return 0;
}
