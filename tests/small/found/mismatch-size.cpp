// Deleted as another type, of another size: the destructor is not virtual.
//
// heddle: kind = memory
// heddle: flags = -std=c++17 -fsized-deallocation
#include <cstdlib>
#include <new>

struct Base {
    long a;
};

struct Derived : Base {
    long b;
};

int main()
{
    Base *p = new Derived();
    p->a = 1;
    delete p; // heddle: here
    return 0;
}
