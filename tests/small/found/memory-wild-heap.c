// An address among those of the heap where there is nothing.
//
// heddle: kind = memory

int main(void)
{
    int *volatile p = (int *)0x123456789000;
    *p = 1;
    return 0;
}
