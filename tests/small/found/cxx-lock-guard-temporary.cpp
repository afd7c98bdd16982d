// A lock guard without a name is gone at once.
//
// heddle: kind = data-race
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex m;
int n;

static void one()
{
    (void)std::lock_guard<std::mutex>{m};
    n++;
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    return 0;
}
