// A status that is not zero is the program's own business.
//
// heddle: verdict = safe
// heddle: executions = 1
int main(void)
{
    return 42;
}
