// Thread_local destructor against main after "done" was told by a flag.
//
// heddle: kind = data-race
// heddle: flags = -std=c++17 -O1
#include <atomic>
#include <thread>

static int count;
static std::atomic<int> done;
struct L {
    int id = 0;
    ~L() {
        count++;
    }
};

static thread_local L l;
int main()
{
    std::thread a([] { l.id = 1; done = 1; });
    while (!done) ;
    int c = count;
    a.join();
    return c > 1;
}
