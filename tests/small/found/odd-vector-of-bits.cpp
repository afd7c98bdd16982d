// Vector<bool> neighbours.
//
// heddle: kind = data-race
// heddle: flags = -std=c++17 -O1
#include <thread>
#include <vector>

static std::vector<bool> v(8);
int main()
{
    std::thread t([] { v[1] = true; });
    v[2] = true;
    t.join();
    return 0;
}
