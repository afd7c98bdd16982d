// Deleted twice.
//
// heddle: kind = memory
int main()
{
    int *number = new int(1);
    int *volatile same = number;
    delete number;
    delete same;
    return 0;
}
