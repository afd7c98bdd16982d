// A try that may fail.
//
// heddle: kind = assertion
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex m;
static int n;

static void one()
{
    std::unique_lock<std::mutex> lock(m, std::try_to_lock);
    if (lock)
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
