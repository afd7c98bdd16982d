// A thread-local variable.
#include <cassert>
#include <thread>

static thread_local int own = 10;

static void one()
{
    own++;
    assert(own == 11);
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    return 0;
}
