// Two threads assign to one shared pointer.
//
// heddle: kind = data-race
#include <memory>
#include <thread>

static std::shared_ptr<int> shared = std::make_shared<int>(3);

static void one()
{
    shared = std::make_shared<int>(4);
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    return 0;
}
