// A count of references: incremented relaxed, decremented with release, and the last one acquires by a fence before it deletes.
#include <atomic>
#include <thread>

struct Shared {
    std::atomic<int> references{1};
    int value = 0;
};

static void release(Shared *shared)
{
    if (shared->references.fetch_sub(1, std::memory_order_release) == 1) {
        std::atomic_thread_fence(std::memory_order_acquire);
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
