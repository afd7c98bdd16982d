// A lambda captures two atomics by reference, and the function joins its thread.
#include <atomic>
#include <thread>

static void run()
{
    std::atomic<bool> done{false};
    std::atomic<int> finished{0};
    std::thread thread([&] {
        done = true;
        finished++;
    });
    while (!done)
        std::this_thread::yield();
    thread.join();
}

int main()
{
    run();
    run();
}
