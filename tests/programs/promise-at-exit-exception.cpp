// The same for an exception.
//
// heddle: verdict = safe
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>

int main()
{
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread keeper([&] {
        promise.set_exception_at_thread_exit(std::make_exception_ptr(std::runtime_error("no")));
    });
    bool thrown = false;
    try {
        future.get();
    } catch (const std::runtime_error &) {
        thrown = true;
    }
    keeper.join();
    assert(thrown);
    return 0;
}
