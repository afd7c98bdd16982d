// A reader and a writer.
//
// heddle: flags = -std=c++17
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex m;
static int n;

static void one()
{
    std::shared_lock<std::shared_mutex> lock(m);
    assert(n < 2);
}

static void two()
{
    std::unique_lock<std::shared_mutex> lock(m);
    n++;
}

int main()
{
    std::thread a(one), b(two);
    a.join();
    b.join();
    return 0;
}
