// The default memory resource is one for all threads.
//
// heddle: kind = assertion
#include <cassert>
#include <memory_resource>
#include <thread>

int main()
{
    auto *before = std::pmr::get_default_resource();
    std::thread first([] { std::pmr::set_default_resource(std::pmr::null_memory_resource()); });
    std::thread second([before] { assert(std::pmr::get_default_resource() == before); });
    first.join();
    second.join();
}
