// atomic::wait returns when the value has changed, and only then.
// heddle: flags = -std=c++20
// heddle: outcome = 1
// heddle: outcome = 2
#include <atomic>
#include <cstdio>
#include <thread>
static std::atomic<int> value{0};
int main() {
    std::thread a([] {
        value.store(1);
        value.notify_one();
        value.store(2);
    });
    value.wait(0);
    int seen = value.load();
    a.join();
    std::printf("%d\n", seen);
}
