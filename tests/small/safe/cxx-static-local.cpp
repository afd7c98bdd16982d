// A static local variable is made once.
#include <cassert>
#include <thread>

struct Once {
    int value;
    Once() : value(7)
    {
        made++;
    }
    static int made;
};

int Once::made = 0;

static void one()
{
    static Once once;
    assert(once.value == 7);
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    assert(Once::made == 1);
    return 0;
}
