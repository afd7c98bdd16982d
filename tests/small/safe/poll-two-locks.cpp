// A thread looks under two locks, one inside the other, until both of two others have come.
#include <mutex>
#include <thread>

static std::mutex first, second;
static int one, two;

static bool both()
{
    std::lock_guard<std::mutex> outer(first);
    std::lock_guard<std::mutex> inner(second);
    return one && two;
}

int main()
{
    std::thread a([] {
        std::lock_guard<std::mutex> guard(first);
        one = 1;
    });
    std::thread b([] {
        std::lock_guard<std::mutex> guard(second);
        two = 1;
    });
    while (!both())
        std::this_thread::yield();
    a.join();
    b.join();
    return 0;
}
