// Read after free.
//
// heddle: kind = memory
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    free(p);
    assert(*(volatile int *)p < 2);
    return 0;
}
