// Reading from a pipe through stdio: libc would wait where nobody sees it.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <assert.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    FILE *file;
    assert(pipe(ends) == 0);
    file = fdopen(ends[0], "r");
    assert(write(ends[1], "x", 1) == 1);
    return fgetc(file) != 'x';
}
