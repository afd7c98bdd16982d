// Allocated by the `new` that does not throw, freed by `free`.
//
// heddle: kind = memory
// heddle: flags = -std=c++17
#include <cstdlib>
#include <new>

int main()
{
    int *p = new (std::nothrow) int;
    std::free(p); // heddle: here
    return 0;
}
