// Futures of std::async whose tasks fill in variables of the function that waits for them.
#include <cassert>
#include <future>

static int run()
{
    int left = 0, right = 0;
    auto task = std::async(std::launch::async, [&left] { left = 1; });
    right = 2;
    task.get();
    return left + right;
}

int main()
{
    assert(run() == 3);
    assert(run() == 3);
}
