// A loop of weak compare-exchanges.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> n{1};

static void one()
{
    int seen = n.load(std::memory_order_relaxed);
    while (!n.compare_exchange_weak(seen, seen * 2))
        ;
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    assert(n == 4);
    return 0;
}
