// Two lock guards, crosswise.
//
// heddle: kind = deadlock
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex x, y;

static void one()
{
    std::lock_guard<std::mutex> first(x);
    std::lock_guard<std::mutex> second(y);
}

static void two()
{
    std::lock_guard<std::mutex> first(y);
    std::lock_guard<std::mutex> second(x);
}

int main()
{
    std::thread a(one), b(two);
    a.join();
    b.join();
    return 0;
}
