// std::latch: who waits goes on after all have counted down.
// heddle: flags = -std=c++20
// heddle: outcome = 2
#include <cstdio>
#include <latch>
#include <thread>
static std::latch latch{2};
static int done[2];
int main() {
    std::thread a([] { done[0] = 1; latch.count_down(); });
    done[1] = 1;
    latch.arrive_and_wait();
    int sum = done[0] + done[1];
    a.join();
    std::printf("%d\n", sum);
}
