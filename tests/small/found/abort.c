// abort() is a finding.
//
// heddle: kind = abort
#include <stdlib.h>

int main(void)
{
    abort();
}
