// One too few counts down.
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: flags = -std=c++20
#include <cassert>
#include <latch>
#include <thread>

int main() {
    std::latch done(2);
    int a = 0, b = 0;
    std::thread x([&] { a = 1; done.count_down(); });
    std::thread y([&] { b = 1; });
    done.wait();
    assert(a == 1);
    x.join();
    y.join();
}
