// A null pointer.
//
// heddle: kind = undefined
// heddle: flags = --ub

int main(void)
{
    int *volatile p = 0;
    return *p;
    return 0;
}
