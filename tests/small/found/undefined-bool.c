// A bool that is neither.
//
// heddle: kind = undefined
// heddle: flags = --ub
#include <stdbool.h>
#include <string.h>

int main(void)
{
    bool b;
    memset(&b, 5, 1);
    volatile bool copy = b;
    (void)copy;
    return 0;
}
