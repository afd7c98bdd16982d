// A recursive mutex.
#include <cassert>
#include <mutex>
#include <thread>

static std::recursive_mutex m;
static int n;

static void one()
{
    std::lock_guard<std::recursive_mutex> outer(m);
    std::lock_guard<std::recursive_mutex> inner(m);
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
