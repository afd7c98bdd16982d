// A string that has no room for its end.
//
// heddle: kind = memory
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *p = malloc(3);
    memcpy(p, "abc", 3);
    volatile unsigned long n = strlen(p);
    (void)n;
    free(p);
    return 0;
}
