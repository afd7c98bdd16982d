// An index beyond a local array.
//
// heddle: kind = undefined
// heddle: flags = --ub

int main(void)
{
    volatile int i = 4;
    volatile int a[4] = {0};
    return a[i];
    return 0;
}
