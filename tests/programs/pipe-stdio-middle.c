// Half a line in a pipe: libc would wait for the rest where nobody sees it.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <assert.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char line[20];
    FILE *file;
    assert(pipe(ends) == 0);
    file = fdopen(ends[0], "r");
    assert(write(ends[1], "x", 1) == 1);
    return fgets(line, sizeof line, file) == NULL;
}
