// Allocated by `new[]`, freed by `delete`.
//
// heddle: kind = memory
// heddle: flags = -std=c++17
#include <cstdlib>
#include <new>

int main()
{
    int *volatile p = new int[3];
    delete p; // heddle: here
    return 0;
}
