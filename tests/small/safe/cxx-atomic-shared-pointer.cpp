// A shared pointer in an atomic: the library's lock inside orders readers and writers.
//
// heddle: flags = -std=c++20
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

static std::atomic<std::shared_ptr<int>> shared;

int main()
{
    std::thread writer([] { shared.store(std::make_shared<int>(5)); });
    auto seen = shared.load();
    assert(!seen || *seen == 5);
    writer.join();
    assert(*shared.load() == 5);
}
