// A wait with a predicate and a time-out says in the end what the predicate says.
// heddle: verdict = safe
// heddle: flags = -std=c++20
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

int main() {
    std::mutex mutex;
    std::condition_variable condition;
    bool ready = false;
    std::thread setter([&] {
        std::lock_guard lock(mutex);
        ready = true;
        condition.notify_one();
    });
    {
        std::unique_lock lock(mutex);
        bool held = condition.wait_for(lock, 1ms, [&] { return ready; });
        assert(held == ready);
    }
    {
        std::unique_lock lock(mutex);
        auto status = ready ? std::cv_status::no_timeout
                            : condition.wait_until(lock, std::chrono::system_clock::now() + 1h);
        assert(status == std::cv_status::timeout || ready);
    }
    setter.join();
}
