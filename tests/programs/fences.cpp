// Two flags with fences between store and load: one of the two sees the other. (Under sequential consistency also without.) Three
// executions: the second store comes before the first load, or a load comes before the other's store, in two ways.
// heddle: verdict = safe
// heddle: executions = 3
// heddle: flags = -std=c++20
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> x, y;
int seen_x, seen_y;

int main() {
    std::thread a([] {
        x.store(1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        seen_y = y.load(std::memory_order_relaxed);
    });
    std::thread b([] {
        y.store(1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        seen_x = x.load(std::memory_order_relaxed);
    });
    a.join();
    b.join();
    assert(seen_x == 1 || seen_y == 1);
}
