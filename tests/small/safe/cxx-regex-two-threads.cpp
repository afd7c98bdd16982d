// Regular expressions of two threads share the tables of the classic locale, which functions in headers fill in.
#include <cassert>
#include <regex>
#include <thread>

int main()
{
    std::thread thread([] { assert(std::regex_match("aab", std::regex("a*b"))); });
    assert(std::regex_match("b", std::regex("a*b")));
    thread.join();
}
