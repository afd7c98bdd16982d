// A condition variable that wakes who has slept shortest.
// heddle: verdict = safe
// heddle: executions = 4
// heddle: flags = --wakeup cond=lifo
#include "wakeup-condition.h"

int main(void) {
    two_sleepers();
    assert(slept[0] == woken[1] && slept[1] == woken[0]);
}
