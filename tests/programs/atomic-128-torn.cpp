// The same in two halves: what one of them adds can be lost.
// heddle: verdict = found
// heddle: kind = assertion
// heddle: flags = -std=c++20
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

std::atomic<std::uint64_t> a, b;

static void add() {
    std::uint64_t seen = a.load();
    a.compare_exchange_strong(seen, seen + 1);
    b.fetch_add(1);
}

int main() {
    std::thread x(add);
    add();
    x.join();
    assert(a.load() == b.load()); // heddle: here
}
