// A reference into a vector that has moved.
//
// heddle: kind = memory
#include <mutex>
#include <thread>
#include <vector>

static std::mutex m;
static std::vector<int> numbers(1);

static void one()
{
    int &first = numbers[0];
    std::lock_guard<std::mutex> guard(m);
    numbers.push_back(1);
    first = 2;
}

static void two()
{

}

int main()
{
    std::thread a(one), b(two);
    a.join();
    b.join();
    return 0;
}
