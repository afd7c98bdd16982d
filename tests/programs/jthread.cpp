// A thread that is asked to stop, and joined by its destructor; condition_variable_any listens to the request.
// heddle: verdict = safe
// heddle: flags = -std=c++20 -O1
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

int main() {
    std::mutex mutex;
    std::condition_variable_any condition;
    bool stopped = false;
    {
        std::jthread worker([&](std::stop_token token) {
            std::unique_lock lock(mutex);
            condition.wait(lock, token, [] { return false; });
            stopped = token.stop_requested();
        });
    }
    assert(stopped);
}
