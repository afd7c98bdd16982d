// A misaligned pointer.
//
// heddle: kind = undefined
// heddle: flags = --ub

int main(void)
{
    char bytes[16] = {0};
    char *volatile p = bytes + 1;
    return *(int *)p;
    return 0;
}
