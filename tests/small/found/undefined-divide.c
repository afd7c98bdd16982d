// Division by zero.
//
// heddle: kind = undefined
// heddle: flags = --ub

int main(void)
{
    volatile int zero = 0;
    volatile int x = 1 / zero;
    (void)x;
    return 0;
}
