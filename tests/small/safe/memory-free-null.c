// Freeing a null pointer is allowed.
#include <stdlib.h>

int main(void)
{
    free(NULL);
    free(realloc(NULL, 3));
    return 0;
}
