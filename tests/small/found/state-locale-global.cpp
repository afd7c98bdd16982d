// The global locale is one for all threads.
//
// heddle: kind = assertion
#include <cassert>
#include <locale>
#include <thread>

int main()
{
    std::locale mine(std::locale::classic(), new std::numpunct<char>);
    std::thread thread([&] { std::locale::global(mine); });
    bool seen = std::locale() == mine;
    thread.join();
    assert(!seen);
}
