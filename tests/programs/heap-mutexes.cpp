// Objects with mutexes made, used and destroyed by the threads themselves: addresses are the same in every order.
//
// heddle: verdict = safe
// heddle: executions = 6
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Counter {
    std::mutex lock;
    int value = 0;
    void increment()
    {
        std::lock_guard<std::mutex> guard(lock);
        value++;
    }
};

static Counter shared;

static void work()
{
    auto own = std::make_unique<Counter>();
    std::vector<std::unique_ptr<Counter>> many;
    for (int i = 0; i < 5; i++) {
        many.push_back(std::make_unique<Counter>());
        many.back()->increment();
    }
    own->increment();
    shared.increment();
    assert(own->value == 1);
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back(work);
    for (auto &thread : threads)
        thread.join();
    assert(shared.value == 3);
}
