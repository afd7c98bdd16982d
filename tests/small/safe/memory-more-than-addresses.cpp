// No allocator has so much: the new handler is asked, or `std::bad_alloc` is thrown.
#include <cassert>
#include <new>

int main()
{
    bool refused = false;
    try {
        char *volatile block = new char[1ul << 60];
        delete[] block;
    } catch (const std::bad_alloc &) {
        refused = true;
    }
    assert(refused);
}
