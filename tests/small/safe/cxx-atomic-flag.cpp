// A spin lock from std::atomic_flag.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic_flag busy = ATOMIC_FLAG_INIT;
static int n;

static void one()
{
    while (busy.test_and_set())
        ;
    n++;
    busy.clear();
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    assert(n == 2);
    return 0;
}
