// A semaphore that is posted by another thread.
// Without a wake-up (-DFORGOTTEN) it hangs.
//
// heddle: verdict = safe
// heddle: flags = -std=c++20
#include <cassert>
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
    ready.acquire();
    assert(data == 1);
    worker.join();
}
