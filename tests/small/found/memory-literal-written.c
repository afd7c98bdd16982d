// A string literal is written to.
//
// heddle: kind = crash

int main(void)
{
    char *volatile p = "text";
    *p = 'x';
    return 0;
}
