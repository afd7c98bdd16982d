// A latch: LLVM's library polls it 64 times, looks at a clock, and then sleeps two seconds again and again.
// Without a wake-up (-DFORGOTTEN) it hangs.
//
// heddle: verdict = safe
// heddle: flags = -std=c++20
#include <cassert>
#include <latch>
#include <thread>

int main() {
    std::latch done(1);
    int data = 0;
    std::thread worker([&] {
        data = 1;
#ifndef FORGOTTEN
        done.count_down();
#endif
    });
    done.wait();
    assert(data == 1);
    worker.join();
}
