// Whoever gives up an object last deletes it: the count that says so orders the deletion after what the others did, the
// counting itself included. No race.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <atomic>
#include <thread>

struct Shared {
    std::atomic<int> users{2};
    int value = 0;
};

static void release(Shared *shared)
{
    if (shared->users.fetch_sub(1, std::memory_order_acq_rel) == 1)
        delete shared;
}

int main()
{
    Shared *shared = new Shared;
    std::thread one(release, shared);
    std::thread two(release, shared);
    one.join();
    two.join();
}
