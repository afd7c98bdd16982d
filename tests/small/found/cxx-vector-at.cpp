// An index past the end that is checked.
//
// heddle: kind = abort
#include <vector>

int main()
{
    std::vector<int> numbers(4);
    return numbers.at(4);
}
