// A lock that is never taken.
//
// heddle: kind = data-race
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex m;
int n;

static void one()
{
    std::unique_lock<std::mutex> lock(m, std::defer_lock);
    n++;
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    return 0;
}
