// Two operations on a std::atomic are not one.
//
// heddle: kind = assertion
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> n;

static void one()
{
    n = n + 1;
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    assert(n == 2);
    return 0;
}
