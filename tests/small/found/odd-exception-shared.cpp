// The exception object is changed by two threads.
//
// heddle: kind = data-race
// heddle: flags = -std=c++17 -O1
#include <exception>
#include <thread>
#include <cassert>

struct E {
    int n = 0;
};

static std::exception_ptr p;
int main()
{
    try {
        throw E();
    } catch (...) {
        p = std::current_exception();
    }
    auto f = [] { try { std::rethrow_exception(p); } catch (E &e) { e.n++; } };
    std::thread a(f), b(f);
    a.join();
    b.join();
    return 0;
}
