// A thread-local object is destroyed with its thread.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> alive;

struct Counted {
    Counted()
    {
        alive++;
    }
    ~Counted()
    {
        alive--;
    }
    void use()
    {
        assert(alive > 0);
    }
};

static void one()
{
    static thread_local Counted counted;
    counted.use();
}

int main()
{
    std::thread a(one), b(one);
    a.join();
    b.join();
    assert(alive == 0);
    return 0;
}
