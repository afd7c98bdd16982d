// The flags of a standard stream are the program's business: to change them while another thread looks is a data race.
//
// heddle: kind = data-race
#include <ios>
#include <iostream>
#include <thread>

int main()
{
    std::thread thread([] { std::cout << std::hex; });
    bool decimal = std::cout.flags() & std::ios::dec;
    thread.join();
    return !decimal;
}
