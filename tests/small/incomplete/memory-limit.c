// More memory than was asked for.
//
// heddle: flags = --memory-limit 16M
#include <stdlib.h>

int main(void)
{
    for (int i = 0; i < 100; i++) {
        volatile char *block = malloc(1 << 20);
        block[0] = 1;
    }
    return 0;
}
