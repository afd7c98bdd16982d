// std::call_once and a static local: one initialisation each, by whoever comes first.
// heddle: flags = -std=c++20
// heddle: outcome = 1 1
// heddle: outcome = 1 2
// heddle: outcome = 2 1
// heddle: outcome = 2 2
#include <cstdio>
#include <mutex>
#include <thread>
static std::once_flag flag;
static int first;
static int &local(int me) {
    static int who = me;
    return who;
}
static void body(int me) {
    std::call_once(flag, [me] { first = me; });
    local(me);
}
int main() {
    std::thread a(body, 1), b(body, 2);
    a.join();
    b.join();
    std::printf("%d %d\n", first, local(0));
}
