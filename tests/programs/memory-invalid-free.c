// A pointer into the middle of a block is freed.
//
// heddle: verdict = found
// heddle: kind = memory
// heddle: executions = 1
#include <stdlib.h>

int main(void)
{
    char *block = malloc(100);
    char *volatile inside = block + 32;
    free(inside); // heddle: here
    return 0;
}
