// A lock guard.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex m;
static int n;

static void one()
{
    std::lock_guard<std::mutex> guard(m);
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
