// A program that defines reach_error itself gets its own.
//
// heddle: verdict = found
// heddle: exhaustive = no
// heddle: kind = abort
#include <stdlib.h>

void reach_error(void)
{
    abort(); // heddle: here
}

extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    if (__VERIFIER_nondet_uchar() == 255)
        reach_error();
    return 0;
}
