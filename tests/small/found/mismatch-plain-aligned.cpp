// Allocated without an alignment, freed with one.
//
// heddle: kind = memory
// heddle: flags = -std=c++17
#include <cstdlib>
#include <new>

int main()
{
    void *p = ::operator new(64);
    ::operator delete(p, std::align_val_t(64)); // heddle: here
    return 0;
}
