// What C++ has with time-outs, beside a thread that holds everything for a while.
// heddle: verdict = safe
// heddle: flags = -std=c++20
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace std::chrono_literals;

int main() {
    std::timed_mutex timed;
    std::recursive_timed_mutex recursive;
    std::shared_timed_mutex shared;
    std::thread holder([&] {
        std::scoped_lock all(timed, recursive, shared);
        std::this_thread::sleep_for(50ms);
    });
    auto begin = std::chrono::steady_clock::now();
    if (timed.try_lock_for(10ms))
        timed.unlock();
    else
        assert(std::chrono::steady_clock::now() - begin >= 10ms);
    if (recursive.try_lock_until(std::chrono::system_clock::now() + 10ms)) {
        assert(recursive.try_lock_for(1ms));
        recursive.unlock();
        recursive.unlock();
    }
    if (shared.try_lock_shared_for(10ms))
        shared.unlock_shared();
    holder.join();
}
