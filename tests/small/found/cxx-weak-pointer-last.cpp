// A weak pointer is locked while the last owner may let go.
//
// heddle: kind = assertion
#include <cassert>
#include <memory>
#include <thread>

int main()
{
    auto owner = std::make_shared<int>(1);
    std::weak_ptr<int> weak = owner;
    std::thread last([&] { owner.reset(); });
    bool alive = weak.lock() != nullptr;
    last.join();
    assert(alive);
}
