// heddle: verdict = safe
// heddle: flags = -std=c++20
#include <cassert>
#include <chrono>
#include <semaphore>
#include <thread>

using namespace std::chrono_literals;

int main() {
    std::counting_semaphore<4> items(0);
    std::binary_semaphore mutex(1);
    int count = 0;
    std::thread producer([&] {
        mutex.acquire();
        count++;
        mutex.release();
        items.release();
    });
    if (!items.try_acquire_for(1ms))
        items.acquire();
    mutex.acquire();
    assert(count == 1);
    mutex.release();
    producer.join();
}
