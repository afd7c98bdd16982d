// A flag for one initialisation in a frame: the next call has another one at the same address.
#include <cassert>
#include <mutex>
#include <thread>

static void call() {
    std::once_flag flag;
    int runs = 0;
    std::call_once(flag, [&] { runs++; });
    std::call_once(flag, [&] { runs++; });
    assert(runs == 1);
}

int main() {
    std::thread one([] { call(); call(); });
    std::thread other(call);
    one.join();
    other.join();
}
