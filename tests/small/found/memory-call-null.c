// A null function pointer is called.
//
// heddle: kind = crash
#include <stddef.h>

int main(void)
{
    void (*volatile function)(void) = NULL;
    function();
    return 0;
}
