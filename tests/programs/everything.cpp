// What makes C++ hard to start over: exceptions thrown and rethrown between locks, thread_local objects with
// destructors, iostream, std::string on the heap, a vector that grows, a static with a destructor. Three threads with
// four critical sections each: 12! / (4!)^3 orders, more than any test wants to see.
//
// heddle: verdict = safe
// heddle: executions = 34650
#include <cassert>
#include <iostream>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<std::string> lines;
static int destroyed;

struct Witness {
    std::string name = "a name that is too long for the small string optimisation";
    int used = 0;
    ~Witness()
    {
        std::lock_guard<std::mutex> guard(lock);
        destroyed++;
    }
};

static thread_local Witness witness;

struct AtExit {
    ~AtExit() { std::cout << "static destructor after " << destroyed << " threads\n"; }
};

static AtExit at_exit;

static void say(int who, int what)
{
    std::lock_guard<std::mutex> guard(lock);
    std::ostringstream text;
    text << "thread " << who << " step " << what << ' ' << witness.name;
    lines.push_back(text.str());
    std::cout << lines.back() << std::endl;
    if (what % 2 == 1)
        throw std::runtime_error(lines.back());
}

static void work(int who)
{
    for (int what = 0; what < 3; what++) {
        try {
            try {
                say(who, what);
            } catch (const std::exception &problem) {
                assert(std::string(problem.what()).find("step 1") != std::string::npos);
                throw;
            }
        } catch (const std::runtime_error &) {
            witness.used++;
        }
    }
    assert(witness.used == 1);
}

int main()
{
    std::vector<std::thread> threads;
    for (int who = 0; who < 3; who++)
        threads.emplace_back(work, who);
    for (auto &thread : threads)
        thread.join();
    assert(lines.size() == 9);
    assert(destroyed == 3);
}
