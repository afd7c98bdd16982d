// An exception leaves the function whose variable a thread still writes to.
//
// heddle: kind = data-race
#include <atomic>
#include <stdexcept>
#include <thread>

static std::atomic<bool> started{false};

static void attempt()
{
    int result = 0;
    std::thread([&result] {
        started = true;
        result = 1;
    }).detach();
    while (!started)
        std::this_thread::yield();
    throw std::runtime_error("given up");
}

int main()
{
    try {
        attempt();
    } catch (const std::exception &) {
    }
}
