// Sixteen bytes at once: two threads swap pairs; no mixture is ever seen.
// heddle: verdict = safe
// heddle: flags = -std=c++20 -mcx16
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

struct alignas(16) Pair {
    std::uint64_t a, b;
};

std::atomic<Pair> pair{Pair{0, 0}};

static void add() {
    Pair seen = pair.load();
    while (!pair.compare_exchange_strong(seen, Pair{seen.a + 1, seen.b + 1})) {
    }
}

int main() {
    std::thread x(add);
    add();
    Pair seen = pair.load();
    assert(seen.a == seen.b);
    x.join();
    seen = pair.load();
    assert(seen.a == 2 && seen.b == 2);
}
