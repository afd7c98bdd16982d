// Two want what is released once.
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: flags = -std=c++20
#include <semaphore>
#include <thread>

static std::counting_semaphore<4> items(0);

static void take() { items.acquire(); }

int main() {
    std::thread threads[] = {std::thread(take), std::thread(take)};
    items.release();
    for (auto &thread : threads)
        thread.join();
}
