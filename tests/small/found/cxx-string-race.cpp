// Two threads extend one string.
//
// heddle: kind = data-race
#include <string>
#include <thread>

static std::string text;

static void one()
{
    text += "x";
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    return 0;
}
