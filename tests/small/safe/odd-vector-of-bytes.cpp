// Neighbours in a vector<char>.
//
// heddle: flags = -std=c++17 -O1
#include <thread>
#include <vector>

static std::vector<char> v(8);
int main()
{
    std::thread t([] { v[1] = 1; });
    v[2] = 1;
    t.join();
    return v[1] + v[2] != 2;
}
