// A local variable is freed.
//
// heddle: kind = memory
#include <stdlib.h>

int main(void)
{
    int x;
    int *volatile p = &x;
    free(p);
    return 0;
}
