// A wait without a predicate.
//
// heddle: kind = deadlock
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable changed;
static bool ready;

static void one()
{
    std::unique_lock<std::mutex> lock(m);
    changed.wait(lock);
}

static void two()
{
    std::lock_guard<std::mutex> lock(m);
    changed.notify_one();
}

int main()
{
    std::thread a(one), b(two);
    a.join();
    b.join();
    return 0;
}
