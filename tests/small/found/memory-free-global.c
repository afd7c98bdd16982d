// A global variable is freed.
//
// heddle: kind = memory
#include <stdlib.h>

static int global;

int main(void)
{
    int *volatile p = &global;
    free(p);
    return 0;
}
