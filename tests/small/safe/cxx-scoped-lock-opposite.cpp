// The textbook's cure of a deadlock: two mutexes in opposite orders, locked at once.
//
// heddle: flags = -std=c++17 -O2
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex a, b;
static int x, y;

int main()
{
    std::thread one([] {
        std::scoped_lock both(a, b);
        x++;
        y++;
    });
    std::thread two([] {
        std::scoped_lock both(b, a);
        x++;
        y++;
    });
    one.join();
    two.join();
    assert(x == 2 && y == 2);
}
