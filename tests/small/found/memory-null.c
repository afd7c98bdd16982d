// A null pointer.
//
// heddle: kind = crash
#include <stddef.h>

int main(void)
{
    int *volatile p = NULL;
    *p = 1;
    return 0;
}
