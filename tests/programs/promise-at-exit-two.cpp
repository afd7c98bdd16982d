// A promise that is kept when its thread ends, and two that wait for it. Whoever comes late finds it kept, and is ordered after
// everything that the thread did.
//
// heddle: verdict = safe
#include <cassert>
#include <future>
#include <thread>

static int more;

int main()
{
    std::promise<int> promise;
    auto future = promise.get_future().share();
    std::thread keeper([&] {
        promise.set_value_at_thread_exit(3);
        more = 4;
    });
    std::thread other([future] { assert(future.get() == 3 && more == 4); });
    assert(future.get() == 3 && more == 4);
    keeper.join();
    other.join();
    return 0;
}
