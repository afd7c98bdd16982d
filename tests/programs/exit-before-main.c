// A constructor that ends the process: main is never reached.
#include <stdlib.h>

__attribute__((constructor)) static void before(void)
{
    exit(3);
}

int main(void)
{
    return 0;
}
