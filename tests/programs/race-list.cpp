// One thread adds to a list, another walks through it. What they race on is in the nodes, which libstdc++ links by code of its own.
//
// heddle: verdict = found
// heddle: kind = data-race
#include <list>
#include <thread>

int main()
{
    std::list<int> list{1, 2, 3};
    int sum = 0;
    std::thread adds([&] { list.push_back(4); });
    for (int value : list)
        sum += value;
    adds.join();
    return sum < 0;
}
