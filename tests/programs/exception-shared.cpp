// An exception is kept by two threads, and what it says is counted by the C++ library: whoever lets go last frees it.
//
// heddle: verdict = safe
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>

int main()
{
    std::packaged_task<int()> task([]() -> int { throw std::runtime_error("what happened"); });
    auto future = task.get_future();
    std::thread thread(std::move(task));
    try {
        future.get();
        assert(false);
    } catch (std::exception &error) {
        assert(error.what()[0] == 'w');
    }
    thread.join();
    return 0;
}
