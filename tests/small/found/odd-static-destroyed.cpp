// A thread uses a static object that exit destroys.
//
// heddle: kind = data-race
// heddle: flags = -std=c++17 -O1
#include <thread>
#include <string>

struct S {
    int v = 1;
    ~S();
};

int out;
S::~S()
{
    out = v;
    v = 0;
}

static S s;
int main()
{
    std::thread([] { s.v++; }).detach();
    return 0;
}
