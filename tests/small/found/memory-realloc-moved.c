// Used at the old address after realloc.
//
// heddle: kind = memory
#include <stdlib.h>

int main(void)
{
    volatile int *p = malloc(sizeof *p);
    *p = 1;
    int *q = realloc((void *)p, 4096);
    *p = 2;
    free(q);
    return 0;
}
