// The same with a weak pointer, and an exchange that fails.
//
// heddle: flags = -std=c++20
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

static auto owner = std::make_shared<int>(7), other = std::make_shared<int>(8);
static std::atomic<std::weak_ptr<int>> weak{owner};

int main()
{
    std::thread writer([] { weak.store(other); });
    std::weak_ptr<int> wanted;
    weak.compare_exchange_strong(wanted, owner);
    auto seen = weak.load().lock();
    assert(*seen == 7 || *seen == 8);
    writer.join();
}
