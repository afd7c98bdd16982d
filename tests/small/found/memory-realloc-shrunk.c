// Used beyond the new size after realloc.
//
// heddle: kind = memory
#include <stdlib.h>

int main(void)
{
    volatile char *p = malloc(100);
    p = realloc((void *)p, 10);
    p[50] = 1;
    free((void *)p);
    return 0;
}
