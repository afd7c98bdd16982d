// A thread that runs until it is asked to stop.
// Without a wake-up (-DFORGOTTEN) it hangs.
//
// heddle: verdict = safe
// heddle: flags = -std=c++20
#include <atomic>
#include <cassert>
#include <stop_token>
#include <thread>

int main() {
    std::atomic<int> done{0};
    {
        std::jthread worker([&](std::stop_token stop) {
            while (!stop.stop_requested()) std::this_thread::yield();
            done = 1;
        });
#ifdef FORGOTTEN
        worker.get_stop_source().swap(*new std::stop_source(std::nostopstate));
        worker.join();
#endif
    }
    assert(done == 1);
}
