// A loop that waits, in a function that has called another one which has no result.
//
// heddle: flags = -O2
#include <atomic>
#include <thread>

static std::atomic<int> done;

int main()
{
    std::thread other([] { done = 1; });
    while (!done)
        ;
    other.join();
    return 0;
}
