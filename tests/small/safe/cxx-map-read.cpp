// Two threads read one map.
#include <cassert>
#include <map>
#include <thread>

static const std::map<int, int> table{{1, 5}};

static void one()
{
    assert(table.at(1) == 5);
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    return 0;
}
