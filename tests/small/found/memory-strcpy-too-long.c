// A string that is too long by its end.
//
// heddle: kind = memory
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *p = malloc(5);
    strcpy(p, "hello");
    free(p);
    return 0;
}
