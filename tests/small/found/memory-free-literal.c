// A string literal is freed.
//
// heddle: kind = memory
#include <stdlib.h>

int main(void)
{
    char *volatile p = "text";
    free(p);
    return 0;
}
