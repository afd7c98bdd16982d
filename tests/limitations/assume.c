// An assumption that is false in some executions.
#include <heddle.h>

int main(void)
{
    heddle_assume(heddle_choose(3) != 1);
    return 0;
}
