// Standard output can become a pipe or a file of the program's own, and be itself again.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <assert.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char text[20] = "";
    int ends[2], saved = dup(1), file;
    assert(saved >= 0 && pipe(ends) == 0);
    assert(dup2(ends[1], 1) == 1);
    assert(write(1, "to the pipe", 11) == 11);
    assert(read(ends[0], text, sizeof text) == 11 && strcmp(text, "to the pipe") == 0);

    file = open("heddle-test-output", O_RDWR | O_CREAT, 0600);
    assert(dup2(file, 1) == 1);
    assert(write(1, "to the file", 11) == 11);
    assert(pread(file, text, sizeof text, 0) == 11 && strcmp(text, "to the file") == 0);

    assert(dup2(saved, 1) == 1);
    assert(write(1, "printed\n", 8) == 8);
    assert(lseek(file, 0, SEEK_END) == 11);
    for (int i = 3; i < 100000; i++)
        close(i);
    assert(write(1, "printed\n", 8) == 8);
    return 0;
}
