// The terminate handler belongs to the process: whether a thread has set it is seen, or not.
//
// heddle: verdict = found
// heddle: kind = assertion
#include <cassert>
#include <exception>
#include <thread>

static void handler()
{
    __builtin_trap();
}

int main()
{
    auto before = std::get_terminate();
    std::thread thread([] { std::set_terminate(handler); });
    bool changed = std::get_terminate() != before;
    thread.join();
    assert(!changed); // heddle: here
}
