// What realloc keeps is still there.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *p = malloc(4);
    strcpy(p, "abc");
    p = realloc(p, 4096);
    assert(strcmp(p, "abc") == 0);
    p[4095] = 1;
    free(p);
    return 0;
}
