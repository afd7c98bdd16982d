// A status other than zero is the program's own business.
int main(void)
{
    return 3;
}
