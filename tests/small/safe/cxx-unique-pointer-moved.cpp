// A unique pointer is handed over to a thread.
#include <cassert>
#include <memory>
#include <thread>

int main()
{
    auto owner = std::make_unique<int>(5);
    std::thread thread([mine = std::move(owner)] { assert(*mine == 5); });
    thread.join();
    return owner != nullptr;
}
