// A word of which the second half is past the end.
//
// heddle: kind = memory
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *p = calloc(6, 1);
    volatile long long x;
    memcpy((void *)&x, p, 8);
    free(p);
    return 0;
}
