// Writes with the lock held for reading.
//
// heddle: kind = data-race
// heddle: flags = -std=c++17
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex m;
int n;

static void one()
{
    std::shared_lock<std::shared_mutex> lock(m);
    n++;
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    return 0;
}
