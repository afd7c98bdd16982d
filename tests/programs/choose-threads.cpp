// Two threads choose, and their atomics are in two orders: 2 * 2 * 2 executions.
//
// heddle: verdict = safe
// heddle: executions = 8
#include <atomic>
#include <heddle.h>
#include <thread>

std::atomic<int> sum{0};

int main()
{
    std::thread one([] { sum += (int)heddle_choose(2); });
    std::thread two([] { sum += 10 * heddle_range(1, 2); });
    one.join();
    two.join();
    heddle_assert(sum >= 10 && sum <= 21);
}
