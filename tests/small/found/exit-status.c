// heddle: kind = failed
//
// A status other than zero says that something failed.
int main(void)
{
    return 3;
}
