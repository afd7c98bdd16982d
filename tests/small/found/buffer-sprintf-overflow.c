// Printed into a block that is too small.
//
// heddle: kind = memory
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *text = malloc(4);
    sprintf(text, "%d", 1234); // heddle: here
    free(text);
    return 0;
}
