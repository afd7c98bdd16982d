// An iterator into a vector that has grown.
//
// heddle: kind = memory
#include <vector>

int main()
{
    std::vector<int> numbers{1, 2, 3};
    auto first = numbers.begin();
    numbers.insert(numbers.end(), 100, 4);
    return *first == 77;
}
