// A constructor that crashes: main is never reached.
#include <stddef.h>

static int *volatile nowhere = NULL;

__attribute__((constructor)) static void before(void)
{
    *nowhere = 1;
}

int main(void)
{
    return 0;
}
