// Incrementing an atomic in two steps.
//
// `hits = hits + 1` on a std::atomic is an atomic load and an atomic store, not an atomic increment. Both threads can
// load 0 and store 1.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 4
// heddle: count = 2
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> hits{0};

static void hit()
{
    hits = hits + 1;
}

int main()
{
    std::thread one(hit), two(hit);
    one.join();
    two.join();
    assert(hits == 2); // heddle: here
}
