// Division by zero, without --ub.
//
// heddle: kind = crash
int main(void)
{
    volatile int zero = 0;
    return 5 / zero;
}
