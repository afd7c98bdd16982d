// Two threads copy one shared pointer.
#include <cassert>
#include <memory>
#include <thread>

static std::shared_ptr<int> shared = std::make_shared<int>(3);

static void one()
{
    std::shared_ptr<int> mine = shared;
    assert(*mine == 3);
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    return 0;
}
