// Written after free.
//
// heddle: kind = memory
#include <stdlib.h>

int main(void)
{
    volatile int *p = malloc(sizeof *p);
    free((void *)p);
    *p = 1;
    return 0;
}
