// std::call_once.
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag flag;
static int n;

static void one()
{
    std::call_once(flag, [] { n++; });
    assert(n == 1);
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    return 0;
}
