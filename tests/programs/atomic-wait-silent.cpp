// Nobody notifies: who sleeps already sleeps for ever.
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: flags = -std=c++20
#include <atomic>
#include <thread>

std::atomic<int> flag{0};

int main() {
    std::thread waiter([] { flag.wait(0); });
    flag.store(1);
    waiter.join();
}
