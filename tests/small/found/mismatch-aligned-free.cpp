// Allocated by `new` of a type with an alignment, freed by `free`.
//
// heddle: kind = memory
// heddle: flags = -std=c++17
#include <cstdlib>
#include <new>

struct alignas(64) Line {
    int value;
};

int main()
{
    Line *p = new Line();
    std::free(p); // heddle: here
    return 0;
}
