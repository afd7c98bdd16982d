// Two threads add by a loop around a weak compare-exchange, which may fail once for each: right.
// heddle: verdict = safe
// heddle: flags = --spurious-failures 1
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> counter{0};

static void add() {
    int seen = counter.load();
    while (!counter.compare_exchange_weak(seen, seen + 1)) {
    }
}

int main() {
    std::thread a(add), b(add);
    a.join();
    b.join();
    assert(counter == 2);
}
