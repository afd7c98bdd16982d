// One that does not listen is waited for in vain.
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: flags = -std=c++20
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

int main() {
    std::mutex mutex;
    std::condition_variable condition;
    std::jthread worker([&](std::stop_token token) {
        std::unique_lock lock(mutex);
        condition.wait(lock, [&] { return token.stop_requested(); });
    });
}
