// std::shared_mutex and std::shared_lock.
//
// heddle: verdict = safe
// heddle: executions = 12
// heddle: flags = -std=c++17
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex lock;
static int first, second;

static void read()
{
    std::shared_lock guard(lock);
    assert(first == second);
}

static void write()
{
    std::unique_lock guard(lock);
    first++;
    second++;
}

int main()
{
    std::thread a(read), b(read), c(write);
    {
        std::shared_lock guard(lock, std::try_to_lock);
        if (guard)
            assert(first == second);
    }
    a.join();
    b.join();
    c.join();
    assert(first == 1);
}
