// Two threads append to one vector under a lock.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex m;
static std::vector<int> numbers;

static void one()
{
    std::lock_guard<std::mutex> guard(m);
    numbers.push_back(1);
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    assert(numbers.size() == 2);
    return 0;
}
