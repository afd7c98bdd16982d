// Recursion without end.
//
// heddle: kind = crash

static int sink;

static int deep(int n)
{
    volatile char room[1000];
    room[n % 1000] = (char)n;
    sink = room[0];
    return deep(n + 1) + room[5];
}

int main(void)
{
    return deep(0);
}
