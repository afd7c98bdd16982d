// heddle: verdict = safe
// heddle: flags = -std=c++20
#include <barrier>
#include <cassert>
#include <thread>

int main() {
    int finished = 0, a = 0, b = 0;
    auto complete = [&]() noexcept { finished++; };
    std::barrier<decltype(complete)> together(2, complete);
    std::thread other([&] {
        a = 1;
        together.arrive_and_wait();
        assert(b == 1);
    });
    b = 1;
    together.arrive_and_wait();
    assert(a == 1 && finished == 1);
    other.join();
}
