// Allocated by `malloc`, freed by `delete`.
//
// heddle: kind = memory
// heddle: flags = -std=c++17
#include <cstdlib>
#include <new>

int main()
{
    int *p = static_cast<int *>(std::malloc(sizeof(int)));
    *p = 1;
    delete p; // heddle: here
    return 0;
}
