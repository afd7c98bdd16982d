// Incrementing an atomic in one step.
//
// The same as atomic-counter.cpp with `++`, which loads and stores at once.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> hits{0};

static void hit()
{
    ++hits;
}

int main()
{
    std::thread one(hit), two(hit);
    one.join();
    two.join();
    assert(hits == 2);
}
