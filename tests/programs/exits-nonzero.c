// A status that is not zero is a failure, and every execution ends with it.
//
// heddle: verdict = found
// heddle: kind = failed
// heddle: executions = 1
// heddle: count = 1
int main(void)
{
    return 42;
}
