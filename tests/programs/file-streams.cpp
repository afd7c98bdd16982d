// Files through the C++ library: threads that write to one file of their own each, then main reads both.
//
// heddle: verdict = safe
#include <cassert>
#include <fstream>
#include <string>
#include <thread>

static void write(std::string name)
{
    std::ofstream file(name);
    file << name << std::endl;
}

int main()
{
    std::thread one(write, "heddle-test-one"), two(write, "heddle-test-two");
    one.join();
    two.join();
    for (std::string name : {"heddle-test-one", "heddle-test-two"}) {
        std::ifstream file(name);
        std::string line;
        assert(std::getline(file, line) && line == name);
        assert(!std::getline(file, line));
    }
}
