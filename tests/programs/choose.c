// Every value of a choice is explored: 3 times 4 executions.
//
// heddle: verdict = safe
// heddle: executions = 12
#include <assert.h>
#include <heddle.h>

int main(void)
{
    unsigned a = heddle_choose(3);
    int b = heddle_range(-2, 1);
    assert(a < 3 && b >= -2 && b <= 1);
    return 0;
}
