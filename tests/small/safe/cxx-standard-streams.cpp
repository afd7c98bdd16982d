// Formatted output to `std::cout` from two threads is no data race, whatever the library's inlined functions do to the stream's width.
//
// heddle: flags = -O2
#include <iostream>
#include <thread>

int main()
{
    std::thread thread([] { std::cout << "one\n" << 1 << ' ' << 2.5 << '\n'; });
    std::cout << "two\n" << 2 << ' ' << 1.5 << '\n';
    std::cerr << 'x';
    thread.join();
}
