// A promise is kept or broken, and a wait with a time-out looks whether it is.
// heddle: flags = -std=c++20
// heddle: outcome = ready 7
// heddle: outcome = timeout 7
#include <chrono>
#include <cstdio>
#include <future>
#include <thread>
int main() {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread keeper([&promise] { promise.set_value(7); });
    auto status = future.wait_for(std::chrono::seconds(1));
    int value = future.get();
    keeper.join();
    std::printf("%s %d\n", status == std::future_status::ready ? "ready" : "timeout", value);
}
