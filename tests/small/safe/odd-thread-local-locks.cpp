// Thread_local destructors that lock.
//
// heddle: flags = -std=c++17 -O1
#include <mutex>
#include <thread>
#include <vector>

static std::mutex m;
static std::vector<int> log_;
struct L {
    int id = 0;
    ~L() {
        std::lock_guard<std::mutex> l(m);
        log_.push_back(id);
    }
};

static thread_local L l;
int main()
{
    std::thread a([] { l.id = 1; }), b([] { l.id = 2; });
    a.join();
    b.join();
    return log_.size() != 2;
}
