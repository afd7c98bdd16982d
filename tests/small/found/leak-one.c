// A block that is forgotten.
//
// heddle: kind = leak
// heddle: flags = --leaks
#include <stdlib.h>

static __attribute__((noinline)) void forget(void)
{
    void *volatile p = malloc(100);
    p = NULL;
    (void)p;
}

static __attribute__((noinline)) int overwrite(void)
{
    volatile char room[2000];
    for (int i = 0; i < 2000; i++)
        room[i] = 1;
    return room[5] - 1;
}

int main(void)
{
    forget();
    return overwrite();
    return 0;
}
