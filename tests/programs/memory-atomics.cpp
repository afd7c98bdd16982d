// A reference count whose last release and the increment of a late comer cross: the increment is in freed memory.
//
// heddle: verdict = found
// heddle: kind = memory
#include <atomic>
#include <thread>

struct Counted {
    std::atomic<int> references{1};
};

static std::atomic<Counted *> current;

static void take()
{
    Counted *mine = current.load();
    if (mine != nullptr)
        mine->references.fetch_add(1); // heddle: here
}

int main()
{
    current = new Counted;
    std::thread thread(take);
    Counted *old = current.exchange(nullptr);
    if (old->references.fetch_sub(1) == 1)
        delete old;
    thread.join();
    return 0;
}

// The increment can also come right before the free, and nothing orders the two: a data race is found, too.
// heddle: more = yes
