// Big returns by value, moved across.
//
// heddle: flags = -std=c++17 -O1
#include <array>
#include <future>
#include <vector>

struct Big {
    std::array<int, 50> a{};
    std::vector<int> v;
};

static Big make(int n)
{
    Big b;
    b.a.fill(n);
    b.v.assign(10, n);
    return b;
}

int main()
{
    auto f = std::async(std::launch::async, make, 3);
    Big b = f.get();
    return b.a[49] != 3 || b.v[9] != 3;
}
