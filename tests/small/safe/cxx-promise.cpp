// A promise is kept by another thread.
#include <cassert>
#include <future>
#include <thread>

int main()
{
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread thread([&] { promise.set_value(9); });
    thread.join();
    assert(future.get() == 9);
    return 0;
}
