// A value that may not be there in time.
// heddle: verdict = found
// heddle: kind = assertion
// heddle: flags = -std=c++20
#include <cassert>
#include <chrono>
#include <future>
#include <thread>

int main() {
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread setter([&] { promise.set_value(7); });
    assert(future.wait_for(std::chrono::hours(1)) == std::future_status::ready); // heddle: here
    setter.join();
}
