// A promise that is kept when its thread ends: libstdc++ stores that it is, by code of its own.
//
// heddle: verdict = safe
#include <cassert>
#include <future>
#include <memory>
#include <thread>

int main()
{
    std::future<int> future;
    {
        auto promise = std::make_shared<std::promise<int>>();
        future = promise->get_future();
        std::thread([promise] { promise->set_value_at_thread_exit(7); }).detach();
    }
    assert(future.get() == 7);
    return 0;
}
