// An address where there is nothing.
//
// heddle: kind = crash

int main(void)
{
    int *volatile p = (int *)0x700012345000;
    *p = 1;
    return 0;
}
