// One byte before the beginning.
//
// heddle: kind = memory
#include <stdlib.h>

int main(void)
{
    volatile char *p = malloc(8);
    volatile int i = -1;
    p[i] = 1;
    free((void *)p);
    return 0;
}
