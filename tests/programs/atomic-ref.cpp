// heddle: verdict = safe
// heddle: executions = 2
// heddle: flags = -std=c++20
#include <atomic>
#include <cassert>
#include <thread>

int main() {
    int value = 0;
    auto add = [&] { std::atomic_ref<int>(value).fetch_add(1); };
    std::thread a(add), b(add);
    a.join();
    b.join();
    assert(value == 2);
}
