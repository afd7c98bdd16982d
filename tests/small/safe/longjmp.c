// A jump out of nested calls.
#include <assert.h>
#include <setjmp.h>

static jmp_buf place;

static void deep(int n)
{
    if (n == 0)
        longjmp(place, 7);
    deep(n - 1);
}

int main(void)
{
    int value = setjmp(place);
    if (value == 0)
        deep(10);
    assert(value == 7);
    return 0;
}
