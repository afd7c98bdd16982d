// Locks of C++ that are made and go without a call, again and again in the same memory.
//
// heddle: verdict = safe
// heddle: executions = 1
// heddle: flags = -std=c++17
#include <condition_variable>
#include <memory>
#include <mutex>
#include <shared_mutex>

struct Object {
    std::mutex lock;
    std::recursive_mutex recursive;
    std::shared_mutex shared;
    std::condition_variable changed;
    int value = 0;
};

static void use(Object &object)
{
    std::scoped_lock both(object.lock, object.recursive);
    std::shared_lock reads(object.shared);
    object.changed.notify_all();
    object.value++;
}

int main()
{
    for (int times = 0; times < 3; times++) {
        Object here;
        use(here);
        auto there = std::make_unique<Object>();
        use(*there);
    }
    return 0;
}
