// Allocated by `new[]`, resized by `realloc`.
//
// heddle: kind = memory
// heddle: flags = -std=c++17
#include <cstdlib>
#include <new>

int main()
{
    char *p = new char[3];
    p = static_cast<char *>(std::realloc(p, 6)); // heddle: here
    std::free(p);
    return 0;
}
