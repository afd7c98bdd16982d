// Two threads lock two mutexes at once, in opposite orders. What they count is read too early in between.
//
// heddle: kind = assertion
// heddle: flags = -std=c++17 -O2
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex a, b;
static int count;

static void add(std::mutex &first, std::mutex &second)
{
    int seen;
    {
        std::scoped_lock both(first, second);
        seen = count;
    }
    std::scoped_lock both(first, second);
    count = seen + 1;
}

int main()
{
    std::thread one([] { add(a, b); });
    std::thread two([] { add(b, a); });
    one.join();
    two.join();
    assert(count == 2);
}
