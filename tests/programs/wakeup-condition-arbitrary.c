// A condition variable that wakes anybody, although the others are told to be fair.
// heddle: verdict = found
// heddle: kind = assertion
// heddle: flags = --wakeup fifo
#include "wakeup-condition.h"

int main(void) {
    heddle_wakeup(&condition, HEDDLE_ARBITRARY);
    two_sleepers();
    assert(slept[0] == woken[0]); // heddle: here
}
