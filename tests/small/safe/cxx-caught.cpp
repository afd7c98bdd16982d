// An exception that a thread catches itself, with the lock released on the way.
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex m;
static int caught;

static void work()
{
    try {
        std::lock_guard<std::mutex> guard(m);
        throw std::runtime_error("caught below");
    } catch (const std::exception &) {
        std::lock_guard<std::mutex> guard(m);
        caught++;
    }
}

int main()
{
    std::thread one(work), two(work);
    one.join();
    two.join();
    assert(caught == 2);
    return 0;
}
