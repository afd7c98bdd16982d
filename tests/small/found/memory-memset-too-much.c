// Filled with a wrong size.
//
// heddle: kind = memory
#include <stdlib.h>
#include <string.h>

int main(void)
{
    long *p = malloc(4 * sizeof *p);
    memset(p, 0, 5 * sizeof *p);
    free(p);
    return 0;
}
