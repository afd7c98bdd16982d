// With spin locks that are tried, in C++.
//
// heddle: kind = livelock
#include <atomic>
#include <thread>

static std::atomic_flag left = ATOMIC_FLAG_INIT, right = ATOMIC_FLAG_INIT;

static void both(std::atomic_flag &first, std::atomic_flag &second)
{
    for (;;) {
        if (first.test_and_set())
            continue;
        if (!second.test_and_set())
            break;
        first.clear();
    }
    second.clear();
    first.clear();
}

int main()
{
    std::thread one([] { both(left, right); });
    std::thread two([] { both(right, left); });
    one.join();
    two.join();
    return 0;
}
