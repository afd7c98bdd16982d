// An exception passes an unlock that is done by hand.
//
// heddle: kind = deadlock
#include <mutex>
#include <stdexcept>

static std::mutex m;

static void fail()
{
    m.lock();
    throw std::runtime_error("on the way");
    m.unlock();
}

int main()
{
    try {
        fail();
    } catch (const std::exception &) {
    }
    m.lock();
    m.unlock();
    return 0;
}
