// Memory that is still reachable when the process ends is no leak: from globals, from the heap, from the stack of a
// thread that is cut off, from thread-specific data and thread-local variables, from inside another block.
//
// heddle: verdict = safe
// heddle: flags = --leaks
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

static std::map<std::string, std::vector<int>> table;
thread_local std::string *own; // Not static: what is only written to would be optimised away.
static pthread_key_t key;
static std::mutex lock;
static std::condition_variable changed;
static bool holds;

static void hold()
{
    own = new std::string("a string that is too long for the short form of strings");
    pthread_setspecific(key, std::malloc(10));
    auto local = std::make_unique<std::vector<int>>(100);
    std::unique_lock<std::mutex> guard(lock);
    holds = true;
    changed.notify_one();
    changed.wait(guard, [] { return false; });
    local->clear();
}

int main()
{
    pthread_key_create(&key, nullptr);
    own = new std::string("another one");
    table["one"].push_back(1);
    table["two"].resize(50);
    std::thread thread(hold);
    {
        std::unique_lock<std::mutex> guard(lock);
        changed.wait(guard, [] { return holds; });
    }
    thread.detach();
    std::exit(0);
}
