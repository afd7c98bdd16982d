// Who calls exit() destroys its thread_local objects first.
//
// heddle: kind = assertion
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>

static std::atomic<int> destroyed;

struct Local {
    ~Local() { destroyed = 1; }
    void use() {}
};

struct Check {
    ~Check() { assert(destroyed == 0); }
};

int main()
{
    static Check check;
    std::thread first([] {
        thread_local Local local;
        local.use();
        std::exit(0);
    });
    first.join();
}
