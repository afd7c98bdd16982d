// An exception leaves the function whose variable a thread writes to; the thread's owner joins it on the way.
//
// heddle: flags = -std=c++20
#include <stdexcept>
#include <thread>

static void attempt()
{
    int result = 0;
    std::jthread thread([&result] { result = 1; });
    throw std::runtime_error("given up");
}

int main()
{
    for (int i = 0; i < 2; i++) {
        try {
            attempt();
        } catch (const std::exception &) {
        }
    }
}
