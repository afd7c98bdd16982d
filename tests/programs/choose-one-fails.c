// One of the values that a choice can have breaks the program.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 5
// heddle: count = 1
#include "heddle.h"

int main(void)
{
    int divisor = heddle_range(-2, 2);
    heddle_assert(divisor * divisor != 4 || divisor < 0); // heddle: here
    return 0;
}
