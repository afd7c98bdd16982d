// What is marked as unreachable is reached.
//
// heddle: kind = undefined
// heddle: flags = --ub

int main(void)
{
    volatile int x = 0;
    if (x == 0)
        __builtin_unreachable();
    return 0;
}
