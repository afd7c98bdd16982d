// A shift by a negative number.
//
// heddle: kind = undefined
// heddle: flags = --ub

int main(void)
{
    volatile int by = -1;
    volatile int x = 1 << by;
    (void)x;
    return 0;
}
