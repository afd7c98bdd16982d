// The racy place is on the heap, in a block that one thread allocates and hands over.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: flags = --races ignore
#include <cassert>
#include <memory>
#include <thread>

int main()
{
    auto counter = std::make_unique<long>(0);
    std::thread one([&] { *counter += 1; });
    std::thread two([&] { *counter += 2; });
    one.join();
    two.join();
    assert(*counter == 3); // heddle: here
}
