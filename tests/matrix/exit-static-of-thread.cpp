// A detached thread makes a static object while main returns: its destructor runs, or not.
//
// heddle: verdict = found
// heddle: kind = assertion
#include <cassert>
#include <thread>

struct Object {
    int value = 0;
    ~Object()
    {
        assert(!"made in time"); // heddle: here
    }
};

static void make()
{
    static Object object;
    object.value = 1;
}

int main()
{
    std::thread(make).detach();
}
