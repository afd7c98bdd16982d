// Aligned blocks end where they should.
//
// heddle: kind = memory
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include <stdlib.h>
int main(void)
{
    volatile char *p = aligned_alloc(64, 128);
    assert((uintptr_t)p % 64 == 0);
    p[127] = 1;
    p[128] = 1;
    free((void *)p);
    return 0;
}
