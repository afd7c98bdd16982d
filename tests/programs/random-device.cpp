// Random numbers of std::random_device are the same in every execution, though libstdc++ has them from the processor.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <mutex>
#include <random>
#include <thread>

int main()
{
    std::mutex lock;
    std::mt19937 generator(std::random_device{}());
    std::thread([&] {
        for (unsigned i = generator() % 8; i > 0; i--)
            std::lock_guard<std::mutex> guard(lock);
    }).join();
    return 0;
}
