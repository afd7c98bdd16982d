// Once, although the first attempt throws; a static local is made once, by whoever comes first.
// heddle: verdict = safe
// heddle: flags = -std=c++20
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag flag;
static std::atomic<int> attempts, made;

struct Thing {
    Thing() { made++; }
};

static void use() {
    try {
        std::call_once(flag, [] {
            if (attempts++ == 0)
                throw 1;
        });
    } catch (int) {
    }
    static Thing thing;
}

int main() {
    std::thread other(use);
    use();
    other.join();
    assert(made == 1 && attempts >= 1 && attempts <= 2);
}
