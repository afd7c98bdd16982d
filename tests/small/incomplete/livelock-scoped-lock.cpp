// What the C++ library does to take two locks at once can go round, if chance wills it for ever. It is not the program's fault.
//
// heddle: flags = -std=c++17 --max-steps 40 --max-executions 200
#include <mutex>
#include <thread>

static std::mutex a, b;
static int value;

int main()
{
    std::thread one([] {
        std::scoped_lock lock(a, b);
        value++;
    });
    std::thread two([] {
        std::scoped_lock lock(b, a);
        value++;
    });
    one.join();
    two.join();
    return value != 2;
}
