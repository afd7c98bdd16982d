// std::counting_semaphore: one for two attempts.
// heddle: flags = -std=c++20
// heddle: outcome = 1 0
// heddle: outcome = 0 1
#include <cstdio>
#include <semaphore>
#include <thread>
static std::counting_semaphore<4> some{1};
static int got[2];
int main() {
    std::thread a([] { got[0] = some.try_acquire(); }), b([] { got[1] = some.try_acquire(); });
    a.join();
    b.join();
    std::printf("%d %d\n", got[0], got[1]);
}
