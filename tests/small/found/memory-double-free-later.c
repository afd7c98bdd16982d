// Freed twice, with others in between.
//
// heddle: kind = memory
#include <stdlib.h>

int main(void)
{
    void *p = malloc(10), *q = malloc(10);
    free(p);
    free(q);
    q = malloc(10);
    free(p);
    free(q);
    return 0;
}
