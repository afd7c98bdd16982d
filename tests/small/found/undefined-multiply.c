// Signed multiplication overflows.
//
// heddle: kind = undefined
// heddle: flags = --ub

int main(void)
{
    volatile long x = 1L << 40;
    x = x * x;
    return 0;
}
