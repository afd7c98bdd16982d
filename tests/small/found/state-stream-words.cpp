// Every stream has a word for whoever asks first.
//
// heddle: kind = assertion
#include <cassert>
#include <ios>
#include <thread>

int main()
{
    int one, other;
    std::thread thread([&] { one = std::ios_base::xalloc(); });
    other = std::ios_base::xalloc();
    thread.join();
    assert(other < one);
}
