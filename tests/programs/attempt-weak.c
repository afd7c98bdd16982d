// A weak compare-exchange that finds what it expects and fails all the same: it has read, and does not write. With gcc; clang
// does not say which ones are weak.
#include <assert.h>
#include <stdatomic.h>

int main(void) {
    atomic_int value = 3;
    int expected = 3;
    if (!atomic_compare_exchange_weak(&value, &expected, 4)) {
        assert(expected == 3 && atomic_load(&value) == 3);
        assert(TRUSTED == 0); // only if it can fail
    }
    expected = atomic_load(&value);
    assert(atomic_compare_exchange_strong(&value, &expected, 5));
    return 0;
}
