// One thread adds to a map, another walks through it. What they race on is in the nodes, which libstdc++ links by code of its own.
//
// heddle: verdict = found
// heddle: kind = data-race
// heddle: more = yes
#include <map>
#include <thread>

int main()
{
    std::map<int, int> map;
    for (int i = 0; i < 4; i++)
        map.emplace_hint(map.end(), i, i);
    auto last = map.end();
    int sum = 0;
    std::thread adds([&] { map.emplace(9, 9); });
    for (auto at = map.begin(); at != last; ++at)
        sum += at->second;
    adds.join();
    return sum < 0;
}
