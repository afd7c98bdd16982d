// A block that a global points into.
//
// heddle: flags = --leaks
#include <stdlib.h>

static char *keep;

int main(void)
{
    char *p = malloc(100);
    keep = p + 50;
    return 0;
}
