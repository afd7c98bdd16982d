// A latch on the stack goes as soon as it has opened; the library wakes waiters after that.
//
// heddle: flags = -std=c++20
#include <latch>
#include <thread>

static void run()
{
    std::latch opened(1);
    std::thread([&opened] { opened.count_down(); }).detach();
    opened.wait();
}

int main()
{
    run();
}
