// One of two threads frees what it got from the other, and which way depends on who was first.
//
// heddle: kind = memory
// heddle: flags = -std=c++17
#include <atomic>
#include <cstdlib>
#include <thread>

static std::atomic<int> first{0};
static std::atomic<int *> block{nullptr};

int main()
{
    std::thread one([] {
        int *expected = nullptr;
        int *mine = new int(1);
        if (!block.compare_exchange_strong(expected, mine))
            delete mine;
    });
    std::thread two([] {
        int *expected = nullptr;
        int *mine = static_cast<int *>(std::malloc(sizeof(int)));
        if (!block.compare_exchange_strong(expected, mine))
            std::free(mine);
    });
    one.join();
    two.join();
    delete block.load(); // heddle: here
    return 0;
}
