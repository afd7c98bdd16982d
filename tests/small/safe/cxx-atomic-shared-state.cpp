// A state machine in one atomic enumeration.
#include <atomic>
#include <cassert>
#include <thread>

enum class State { Idle, Busy, Done };

static std::atomic<State> state{State::Idle};
static int worked;

static void work()
{
    State expected = State::Idle;
    if (state.compare_exchange_strong(expected, State::Busy)) {
        worked++;
        state = State::Done;
    }
}

int main()
{
    std::thread one(work), two(work);
    one.join();
    two.join();
    assert(worked == 1 && state == State::Done);
    return 0;
}
