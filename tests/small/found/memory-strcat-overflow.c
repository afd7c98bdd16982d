// A string that is extended beyond its room.
//
// heddle: kind = memory
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *p = malloc(8);
    strcpy(p, "hello");
    strcat(p, "xyz");
    free(p);
    return 0;
}
