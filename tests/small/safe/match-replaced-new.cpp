// The program's own `operator new`, with the library's `delete`, `new[]` and `delete[]`.
//
// heddle: flags = -std=c++17 -fsized-deallocation
#include <cstdlib>
#include <new>
#include <thread>

void *operator new(std::size_t size)
{
    void *p = std::malloc(size + 16);
    if (p == nullptr)
        throw std::bad_alloc();
    return p;
}

int main()
{
    std::thread other([] {
        delete new int(1);
        delete[] new int[3];
    });
    other.join();
    ::operator delete(::operator new(3), std::size_t{3});
    std::free(::operator new(3));
    return 0;
}
