// Freed last.
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    assert(*p == 1);
    free(p);
    return 0;
}
