// A member of a null pointer.
//
// heddle: kind = crash
#include <stddef.h>

int main(void)
{
    struct {
        long a, b;
    } *volatile p = NULL;
    p->b = 1;
    return 0;
}
