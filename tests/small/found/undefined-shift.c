// A shift by more than there are bits.
//
// heddle: kind = undefined
// heddle: flags = --ub

int main(void)
{
    volatile int by = 32;
    volatile int x = 1 << by;
    (void)x;
    return 0;
}
