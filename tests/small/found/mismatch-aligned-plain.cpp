// Allocated with an alignment, freed without.
//
// heddle: kind = memory
// heddle: flags = -std=c++17
#include <cstdlib>
#include <new>

int main()
{
    void *p = ::operator new(64, std::align_val_t(64));
    ::operator delete(p); // heddle: here
    return 0;
}
