// Allocated by `new[]`, freed by `free`.
//
// heddle: kind = memory
// heddle: flags = -std=c++17
#include <cstdlib>
#include <new>

int main()
{
    char *volatile p = new char[3];
    std::free(p); // heddle: here
    return 0;
}
