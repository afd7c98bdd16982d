// A barrier: in LLVM's library its arrivals are counted where nothing is instrumented, and its waits sleep ever longer.
// Without a wake-up (-DFORGOTTEN) it hangs.
//
// heddle: verdict = safe
// heddle: flags = -std=c++20
#include <barrier>
#include <cassert>
#include <thread>

#ifdef FORGOTTEN
const int threads = 3;
#else
const int threads = 2;
#endif

int main() {
    std::barrier<> together(threads);
    int data[2] = {0, 0};
    auto work = [&](int own) {
        data[own] = 1;
        together.arrive_and_wait();
        assert(data[1 - own] == 1);
    };
    std::thread other(work, 0);
    work(1);
    other.join();
}
