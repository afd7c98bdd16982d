// An array of a negative length.
//
// heddle: kind = undefined
// heddle: flags = --ub

int main(void)
{
    volatile int n = -3;
    volatile char a[n];
    a[0] = 1;
    return 0;
}
