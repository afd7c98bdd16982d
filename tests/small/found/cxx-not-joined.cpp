// A std::thread that is destroyed without being joined.
//
// heddle: kind = abort
#include <thread>

int main()
{
    std::thread thread([] {});
    return 0;
}
