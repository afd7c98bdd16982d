// A static object whose destructor, run while the process exits, gives up.
//
// heddle: verdict = found
// heddle: kind = abort
#include <cstdlib>
#include <mutex>
#include <thread>

static std::mutex lock;
static int last;

struct Guard {
    ~Guard()
    {
        if (last == 2)
            std::abort(); // heddle: here
    }
};

static Guard at_exit;

int main()
{
    auto set = [](int value) {
        std::lock_guard<std::mutex> hold(lock);
        last = value;
    };
    std::thread one(set, 1), two(set, 2);
    one.join();
    two.join();
}
