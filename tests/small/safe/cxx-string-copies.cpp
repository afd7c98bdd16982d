// Two threads copy one string.
#include <cassert>
#include <string>
#include <thread>

static std::string text = "hello";

static void one()
{
    std::string copy = text;
    copy += "y";
    assert(copy.size() == 6);
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    return 0;
}
