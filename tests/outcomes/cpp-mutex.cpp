// The locks of C++ in one order.
// heddle: flags = -std=c++20
// heddle: outcome = 12
// heddle: outcome = 21
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
static std::mutex a;
static std::recursive_mutex b;
static std::string text;
int main() {
    std::thread first([] { std::lock_guard one(a); std::unique_lock two(b); text += '1'; });
    std::thread second([] { std::scoped_lock one(a); std::lock_guard two(b); text += '2'; });
    first.join();
    second.join();
    std::puts(text.c_str());
}
