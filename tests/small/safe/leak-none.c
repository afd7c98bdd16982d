// A block that is freed.
//
// heddle: flags = --leaks
#include <stdlib.h>

int main(void)
{
    void *p = malloc(100);
    free(p);
    return 0;
}
