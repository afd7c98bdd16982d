// std::condition_variable with two waiters and one notification for all: both orders.
// heddle: flags = -std=c++20
// heddle: outcome = 12
// heddle: outcome = 21
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
static std::mutex lock;
static std::condition_variable go;
static bool ready;
static std::string text;
static void waits(char me) {
    std::unique_lock held(lock);
    go.wait(held, [] { return ready; });
    text += me;
}
int main() {
    std::thread first(waits, '1'), second(waits, '2');
    {
        std::lock_guard held(lock);
        ready = true;
    }
    go.notify_all();
    first.join();
    second.join();
    std::puts(text.c_str());
}
