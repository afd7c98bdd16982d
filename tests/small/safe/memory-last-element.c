// The last element.
#include <stdlib.h>

int main(void)
{
    int n = 5;
    volatile int *a = malloc(n * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = i;
    free((void *)a);
    return 0;
}
