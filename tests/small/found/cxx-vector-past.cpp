// An index past the end of a vector.
//
// heddle: kind = memory
#include <vector>

int main()
{
    std::vector<int> numbers(4);
    numbers.shrink_to_fit();
    volatile unsigned index = 4;
    return numbers[index] == 77;
}
