// condition_variable_any with a shared lock.
// heddle: verdict = safe
// heddle: flags = -std=c++20
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

int main() {
    std::shared_mutex mutex;
    std::condition_variable_any condition;
    int value = 0;
    std::thread writer([&] {
        std::unique_lock lock(mutex);
        value = 1;
        lock.unlock();
        condition.notify_all();
    });
    {
        std::shared_lock lock(mutex);
        condition.wait(lock, [&] { return value == 1; });
        assert(value == 1);
    }
    writer.join();
}
