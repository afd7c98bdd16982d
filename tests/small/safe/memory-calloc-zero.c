// calloc gives zeroes, also where a block was used before.
//
// heddle: flags = --quarantine 0
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    unsigned char *p = malloc(50);
    memset(p, 9, 50);
    free(p);
    p = calloc(50, 1);
    for (int i = 0; i < 50; i++)
        assert(p[i] == 0);
    free(p);
    return 0;
}
