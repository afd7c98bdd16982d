// A lambda captures two atomics by reference, and uses the second when the function may have returned.
//
// heddle: kind = data-race
#include <atomic>
#include <thread>

static void run()
{
    std::atomic<bool> done{false};
    std::atomic<int> finished{0};
    std::thread([&] {
        done = true;
        finished++;
    }).detach();
    while (!done)
        std::this_thread::yield();
}

int main()
{
    run();
}
