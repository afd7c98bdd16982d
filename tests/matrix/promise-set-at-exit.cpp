// `set_value_at_thread_exit` releases inside libstdc++, for all who share the future.
//
// heddle: verdict = safe
#include <future>
#include <thread>

int main()
{
    std::promise<int> promise;
    auto future = promise.get_future().share();
    std::thread setter([&] { promise.set_value_at_thread_exit(3); });
    std::thread getter([future] { future.get(); });
    future.get();
    setter.join();
    getter.join();
}
