// Handlers and the default memory resource that the C++ library keeps for the process.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: more = yes
#include <cassert>
#include <cstdlib>
#include <exception>
#include <memory_resource>
#include <new>
#include <thread>

static void handler()
{
    std::abort();
}

int main()
{
    std::new_handler new_before = std::get_new_handler();
    std::terminate_handler terminate_before = std::get_terminate();
    std::pmr::memory_resource *resource_before = std::pmr::get_default_resource();
    std::thread thread([] {
        std::set_new_handler(handler);
        std::set_terminate(handler);
        std::pmr::set_default_resource(std::pmr::null_memory_resource());
    });
    bool new_seen = std::get_new_handler() != new_before;
    bool terminate_seen = std::get_terminate() != terminate_before;
    bool resource_seen = std::pmr::get_default_resource() != resource_before;
    thread.join();
    assert(!new_seen); // heddle: here
    assert(!terminate_seen); // heddle: here
    assert(!resource_seen); // heddle: here
}
