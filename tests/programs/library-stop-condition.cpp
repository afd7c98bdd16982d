// A condition variable that a request to stop wakes up.
// Without a wake-up (-DFORGOTTEN) it hangs.
//
// heddle: verdict = safe
// heddle: flags = -std=c++20
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

int main() {
    std::mutex mutex;
    std::condition_variable_any changed;
    bool ready = false, stopped = false;
    std::jthread waiter([&](std::stop_token stop) {
        std::unique_lock lock(mutex);
        stopped = !changed.wait(lock, stop, [&] { return ready; });
    });
#ifndef FORGOTTEN
    waiter.request_stop();
#endif
    waiter.join();
    assert(stopped);
}
