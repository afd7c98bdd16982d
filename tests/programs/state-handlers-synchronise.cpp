// What was written before a handler was set is seen by who gets the handler.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <cassert>
#include <cstdlib>
#include <exception>
#include <thread>

static int data;

static void handler()
{
    std::abort();
}

int main()
{
    std::thread thread([] {
        data = 1;
        std::set_terminate(handler);
    });
    if (std::get_terminate() == handler)
        assert(data == 1);
    thread.join();
}
