// Allocated by `new`, freed by `free`.
//
// heddle: kind = memory
// heddle: flags = -std=c++17
#include <cstdlib>
#include <new>

int main()
{
    int *p = new int(1);
    std::free(p); // heddle: here
    return 0;
}
