// Static objects of two threads that are waited for: destroyed at the exit, with what the threads have left in them.
//
// heddle: verdict = safe
#include <cassert>
#include <thread>

struct Object {
    int value = 0;
    ~Object()
    {
        assert(value == 1);
    }
};

static void one()
{
    static Object object;
    object.value = 1;
}

static void two()
{
    static Object object;
    object.value = 1;
}

int main()
{
    std::thread first(one), second(two);
    first.join();
    second.join();
}
