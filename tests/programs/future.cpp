// Promise, packaged task, async; with a wait that may time out.
// heddle: verdict = safe
// heddle: flags = -std=c++20
#include <cassert>
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

using namespace std::chrono_literals;

int main() {
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread setter([&] { promise.set_value(7); });
    auto status = future.wait_for(1ms);
    assert(status == std::future_status::ready || status == std::future_status::timeout);
    assert(future.get() == 7);
    setter.join();

    std::packaged_task<int(int)> task([](int x) -> int { if (x) throw std::runtime_error("no"); return x; });
    auto failing = task.get_future();
    std::thread runner(std::move(task), 1);
    try {
        failing.get();
        assert(false);
    } catch (const std::runtime_error &) {
    }
    runner.join();
    assert(std::async(std::launch::async, [] { return 3; }).get() == 3);
}
