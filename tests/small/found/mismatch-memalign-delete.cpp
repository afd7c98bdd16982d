// Allocated with an alignment by the C library, freed by `delete`.
//
// heddle: kind = memory
// heddle: flags = -std=c++17
#include <cstdlib>
#include <new>

int main()
{
    void *p = nullptr;
    if (posix_memalign(&p, 64, 64) != 0)
        return 1;
    ::operator delete(p); // heddle: here
    return 0;
}
