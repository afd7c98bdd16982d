// Two threads append to one vector: the accesses lie in the library's headers, the report names the lines that call it.
//
// heddle: verdict = found
// heddle: kind = data-race
// heddle: more = yes
#include <thread>
#include <vector>

static std::vector<int> numbers;

int main()
{
    std::thread one([] { numbers.push_back(1); }); // heddle: here
    std::thread two([] { numbers.push_back(2); }); // heddle: here
    one.join();
    two.join();
}
