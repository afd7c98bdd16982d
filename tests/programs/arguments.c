// What the program is given after `--` arrives.
#include <assert.h>
#include <string.h>

int main(int argc, char **argv)
{
    assert(argc == 3);
    assert(strcmp(argv[1], "one") == 0);
    assert(strcmp(argv[2], "--two=2") == 0);
    return 0;
}
