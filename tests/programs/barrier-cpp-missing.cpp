// heddle: verdict = found
// heddle: kind = deadlock
// heddle: flags = -std=c++20
#include <barrier>
#include <thread>

int main() {
    std::barrier<> together(3);
    std::thread other([&] { together.arrive_and_wait(); });
    together.arrive_and_wait();
    other.join();
}
