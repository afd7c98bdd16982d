// A condition variable that wakes who has slept longest.
// heddle: verdict = safe
// heddle: executions = 4
#include "wakeup-condition.h"

int main(void) {
    heddle_wakeup(&condition, HEDDLE_FIFO);
    two_sleepers();
    assert(slept[0] == woken[0] && slept[1] == woken[1]);
}
