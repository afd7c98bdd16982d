// std::atomic.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> n;

static void one()
{
    n++;
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    assert(n == 2);
    return 0;
}
