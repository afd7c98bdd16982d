// An exception that nobody catches, in one order only.
//
// heddle: verdict = found
// heddle: kind = abort
#include <atomic>
#include <stdexcept>
#include <thread>

static std::atomic<int> ready{0};

int main()
{
    std::thread one([] { ready = 1; });
    std::thread two([] {
        if (!ready)
            throw std::logic_error("not ready");
    });
    one.join();
    two.join();
}
