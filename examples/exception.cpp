// An exception that flies past an unlock.
//
// The parser throws while the lock is held, the caller catches, everything looks handled. But nobody has unlocked:
// whoever comes next waits for ever. Only if the failing thread is the last one to come does nobody notice.
//
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: executions = 2
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

static std::mutex lock;
static int total;

static void add(const std::string &text)
{
    lock.lock(); // heddle: here
    total += std::stoi(text);
    lock.unlock();
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
}
