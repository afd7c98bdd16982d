// Weak pointers to one object are copied and dropped by two threads: whoever is last frees it, once.
#include <memory>
#include <thread>

int main()
{
    auto owner = std::make_shared<int>(1);
    std::weak_ptr<int> one = owner, other = owner;
    owner.reset();
    std::thread thread([&] { one.reset(); });
    other.reset();
    thread.join();
}
