// Freed at an address inside.
//
// heddle: kind = memory
#include <stdlib.h>

int main(void)
{
    char *p = malloc(64);
    char *volatile inside = p + 16;
    free(inside);
    return 0;
}
