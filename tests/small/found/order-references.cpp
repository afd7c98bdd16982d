// A count of references: incremented relaxed, and decremented relaxed as well: who deletes does not know that the other has done with it.
// heddle: kind = data-race
#include <atomic>
#include <thread>

struct Shared {
    std::atomic<int> references{1};
    int value = 0;
};

static void release(Shared *shared)
{
    if (shared->references.fetch_sub(1, std::memory_order_relaxed) == 1) {
        delete shared;
    }
}

int main()
{
    Shared *shared = new Shared;
    shared->references.fetch_add(1, std::memory_order_relaxed);
    std::thread thread([=] {
        shared->value = 1;
        release(shared);
    });
    release(shared);
    thread.join();
}
