// Two threads append to one vector.
//
// heddle: kind = data-race
#include <thread>
#include <vector>

static std::vector<int> numbers;

static void one()
{
    numbers.push_back(1);
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    return 0;
}
