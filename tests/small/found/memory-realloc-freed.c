// A freed block is resized.
//
// heddle: kind = memory
#include <stdlib.h>

int main(void)
{
    void *p = malloc(10);
    free(p);
    p = realloc(p, 20);
    return 0;
}
