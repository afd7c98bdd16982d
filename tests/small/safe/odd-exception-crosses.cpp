// An exception that crosses from one thread to another by exception_ptr; and through future.
//
// heddle: flags = -std=c++17 -O1
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <cassert>

static std::exception_ptr caught;
int main()
{
    std::thread t([] { try { throw std::runtime_error(std::string("a long enough message to be on the heap, really")); } catch (...) { caught = std::current_exception(); } });
    t.join();
    bool ok = false;
    try {
        std::rethrow_exception(caught);
    } catch (const std::runtime_error &e) {
        ok = std::string(e.what()).size() > 10;
    }
    assert(ok);
    std::promise<int> p;
    auto f = p.get_future();
    std::thread u([&] { try { throw 3; } catch (...) { p.set_exception(std::current_exception()); } });
    int got = 0;
    try {
        f.get();
    } catch (int i) {
        got = i;
    }
    u.join();
    assert(got == 3);
    return 0;
}
