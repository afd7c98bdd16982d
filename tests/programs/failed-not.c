// The parent of a process sees the low byte of its status: 256 is success.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <stdlib.h>

int main(void)
{
    exit(256);
}
