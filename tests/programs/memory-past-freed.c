// Past the end of a block that was freed: out of bounds, and no use after free.
//
// heddle: verdict = found
// heddle: kind = memory
#include <stdlib.h>

int main(void)
{
    char *block = malloc(16);
    volatile char *past = block + 16;
    free(block);
    *past = 1; // heddle: here
    return 0;
}
