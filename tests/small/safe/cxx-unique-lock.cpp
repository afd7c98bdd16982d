// A unique lock that is opened in between.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex m;
static int n;

static void one()
{
    std::unique_lock<std::mutex> lock(m);
    n++;
    lock.unlock();
    lock.lock();
    n++;
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    assert(n == 4);
    return 0;
}
