// A string that just fits.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *p = malloc(6);
    strcpy(p, "hello");
    assert(strlen(p) == 5);
    free(p);
    return 0;
}
