// A block of no bytes has none.
//
// heddle: kind = memory
#include <stdlib.h>

int main(void)
{
    volatile char *p = malloc(0);
    p[0] = 1;
    free((void *)p);
    return 0;
}
