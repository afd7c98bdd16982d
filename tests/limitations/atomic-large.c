// An atomic object of more than 65535 bytes.
#include <stdatomic.h>

struct large {
    char bytes[70000];
};

static _Atomic struct large object;

int main(void)
{
    static struct large value;
    atomic_store(&object, value);
    return 0;
}
