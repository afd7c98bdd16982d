// Two threads insert into one map.
//
// heddle: kind = data-race
#include <map>
#include <thread>

static std::map<int, int> table;

static void one()
{
    table[1]++;
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    return 0;
}
