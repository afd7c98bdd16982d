// Statics of functions are destroyed in the order in which threads have made them, backwards.
//
// heddle: kind = assertion
#include <cassert>
#include <thread>

static int last;

struct Static {
    int number;
    ~Static() { last = number; }
};

struct Check {
    ~Check() { assert(last == 1); }
};

int main()
{
    static Check check;
    std::thread first([] { static Static it{1}; });
    std::thread second([] { static Static it{2}; });
    first.join();
    second.join();
}
