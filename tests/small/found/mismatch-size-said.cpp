// The size that is said is not the one that was asked for.
//
// heddle: kind = memory
// heddle: flags = -std=c++17 -fsized-deallocation
#include <cstdlib>
#include <new>

int main()
{
    void *p = ::operator new(16);
    ::operator delete(p, 17); // heddle: here
    return 0;
}
