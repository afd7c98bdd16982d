// A static object is made by a thread that nobody waits for. It is destroyed at the exit, or was never made.
//
// heddle: verdict = found
// heddle: kind = assertion
#include <cassert>
#include <thread>

struct Object {
    int value = 0;
    ~Object()
    {
        assert(!"nobody waits for the thread"); // heddle: here
    }
};

static void work()
{
    static Object object;
    object.value = 1;
}

int main()
{
    std::thread(work).detach();
}
