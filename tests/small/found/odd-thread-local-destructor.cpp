// Thread_local destructors that do not lock.
//
// heddle: kind = data-race
// heddle: flags = -std=c++17 -O1
#include <thread>

static int count;
struct L {
    int id = 0;
    ~L() {
        count++;
    }
};

static thread_local L l;
int main()
{
    std::thread a([] { l.id = 1; }), b([] { l.id = 2; });
    a.join();
    b.join();
    return count != 2;
}
