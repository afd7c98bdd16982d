// set_new_handler() returns what another thread may have set.
//
// heddle: kind = assertion
#include <cassert>
#include <new>
#include <thread>

static void one() {}
static void two() {}

int main()
{
    std::thread first([] { std::set_new_handler(one); });
    std::thread second([] { assert(std::set_new_handler(two) == nullptr); });
    first.join();
    second.join();
}
