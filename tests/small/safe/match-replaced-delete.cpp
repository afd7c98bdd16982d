// The program's own `operator delete`, with the library's `new`.
//
// heddle: flags = -std=c++17
#include <cstdlib>
#include <new>
#include <thread>

static int deleted;

void operator delete(void *p) noexcept
{
    __atomic_fetch_add(&deleted, 1, __ATOMIC_RELAXED);
    std::free(p);
}

int main()
{
    std::thread other([] {
        delete new int(1);
        delete[] new int[3];
    });
    other.join();
    return 0;
}
