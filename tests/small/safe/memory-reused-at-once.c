// Without a quarantine the last freed block is the next one.
//
// heddle: flags = --quarantine 0
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void)
{
    void *p = malloc(50);
    uintptr_t old = (uintptr_t)p;
    free(p);
    p = malloc(50);
    assert((uintptr_t)p == old);
    free(p);
    return 0;
}
