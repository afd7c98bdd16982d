// heddle: verdict = safe
// heddle: flags = -std=c++20
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> flag{0};
int data;

int main() {
    std::thread waiter([] {
        flag.wait(0);
        assert(data == 7);
    });
    data = 7;
    flag.store(1);
    flag.notify_one();
    waiter.join();
}
