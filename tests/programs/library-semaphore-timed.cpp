// A semaphore that is waited for until a deadline, and then without one.
// Without a wake-up (-DFORGOTTEN) it hangs.
//
// heddle: verdict = safe
// heddle: flags = -std=c++20
#include <cassert>
#include <chrono>
#include <semaphore>
#include <thread>

int main() {
    std::counting_semaphore<4> ready(0);
    int data = 0;
    std::thread worker([&] {
        data = 1;
#ifndef FORGOTTEN
        ready.release();
#endif
    });
    if (!ready.try_acquire_for(std::chrono::milliseconds(10))) ready.acquire();
    assert(data == 1);
    worker.join();
}
