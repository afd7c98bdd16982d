// Cancellation unwinds the stack of a C++ thread: destructors run, and catch (...) that rethrows sees it pass.
//
// heddle: verdict = safe
// heddle: executions = 4
#include <cassert>
#include <pthread.h>
#include <unistd.h>

static int destroyed, passed;

struct Guard {
    ~Guard() { destroyed++; }
};

static void *work(void *)
{
    Guard outer;
    try {
        Guard inner;
        sleep(1);
    } catch (...) {
        passed++;
        throw;
    }
    return nullptr;
}

int main()
{
    pthread_t thread;
    void *value;
    pthread_create(&thread, nullptr, work, nullptr);
    pthread_cancel(thread);
    pthread_join(thread, &value);
    assert(destroyed == 2);
    assert(value == (passed ? PTHREAD_CANCELED : nullptr));
    return 0;
}
