// Nobody has said what standard input is.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <stdio.h>

int main(void)
{
    char line[10];
    return fgets(line, sizeof line, stdin) == NULL;
}
