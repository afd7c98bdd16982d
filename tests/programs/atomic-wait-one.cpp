// Two wait, and one is notified.
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: flags = -std=c++20
#include <atomic>
#include <thread>

std::atomic<int> flag{0};

static void await() { flag.wait(0); }

int main() {
    std::thread threads[] = {std::thread(await), std::thread(await)};
    flag.store(1);
    flag.notify_one();
    for (auto &thread : threads)
        thread.join();
}
