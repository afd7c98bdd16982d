// A loop that looks at a place nobody writes, and ends because of what a function of libc remembers. It is called by std::function.
#include <atomic>
#include <cstdlib>
#include <functional>
#include <thread>

static std::atomic<int> never;
static unsigned seed = 1;

int main()
{
    std::function<int(unsigned *)> draws = rand_r;
    std::thread thread([&] {
        while (!never)
            if (draws(&seed) % 7 == 3)
                break;
    });
    thread.join();
}
