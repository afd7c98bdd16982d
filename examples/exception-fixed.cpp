// An exception that unlocks on its way.
//
// The same as exception.cpp with std::lock_guard: leaving the scope unlocks, however it is left.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

static std::mutex lock;
static int total;

static void add(const std::string &text)
{
    std::lock_guard<std::mutex> guard(lock);
    total += std::stoi(text);
}

static void handle(const char *text)
{
    try {
        add(text);
    } catch (const std::invalid_argument &) {
        // Not a number: ignored.
    }
}

int main()
{
    std::thread one(handle, "12"), two(handle, "twelve");
    one.join();
    two.join();
    assert(total == 12);
}
