// Nobody keeps the promise while it lives.
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: flags = -std=c++20
#include <future>
#include <thread>

int main() {
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread waiter([&] { future.wait(); });
    waiter.join();
    promise.set_value(1);
}
