// Freed twice.
//
// heddle: kind = memory
#include <stdlib.h>

int main(void)
{
    void *p = malloc(10);
    free(p);
    free(p);
    return 0;
}
