// Asks whether a queue is empty, then takes, in two critical sections.
//
// heddle: kind = assertion
#include <cassert>
#include <mutex>
#include <queue>
#include <thread>

static std::mutex m;
static std::queue<int> queue;

static bool empty()
{
    std::lock_guard<std::mutex> guard(m);
    return queue.empty();
}

static void take()
{
    if (!empty()) {
        std::lock_guard<std::mutex> guard(m);
        assert(!queue.empty());
        queue.pop();
    }
}

int main()
{
    queue.push(1);
    std::thread one(take), two(take);
    one.join();
    two.join();
    return 0;
}
