// Function-local static from two threads.
//
// heddle: flags = -std=c++17 -O1
#include <thread>
#include <map>

static std::map<int,int> &get()
{
    static std::map<int,int> m{{1,2}};
    return m;
}

int main()
{
    int x = 0, y = 0;
    std::thread a([&] { x = get().at(1); }), b([&] { y = get().at(1); });
    a.join();
    b.join();
    return x + y != 4;
}
