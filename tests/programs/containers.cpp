// Sets and lists do what they do without Heddle, which links their nodes by code of its own: compared with sorted vectors, after each of many
// random changes, and looked at inside.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <list>
#include <set>
#include <thread>
#include <vector>

static unsigned drawn = 1;

static unsigned draw(unsigned below)
{
    drawn = drawn * 1103515245u + 12345u;
    return (drawn >> 16) % below;
}

static void must(bool holds)
{
    if (!holds)
        std::abort();
}

#ifdef __GLIBCXX__
// How many black nodes there are on every way down.
static int blacks(const std::_Rb_tree_node_base *at)
{
    if (at == nullptr)
        return 1;
    for (const std::_Rb_tree_node_base *below : {at->_M_left, at->_M_right}) {
        must(below == nullptr || below->_M_parent == at);
        must(below == nullptr || at->_M_color == std::_S_black || below->_M_color == std::_S_black);
    }
    int left = blacks(at->_M_left);
    must(left == blacks(at->_M_right));
    return left + (at->_M_color == std::_S_black);
}
#endif

template <typename Container> static void must_be(const Container &container, const std::vector<int> &expected)
{
    must(container.size() == expected.size());
    must(std::equal(container.begin(), container.end(), expected.begin()));
    must(std::equal(container.rbegin(), container.rend(), expected.rbegin()));
}

static void sets(unsigned range)
{
    std::set<int> set;
    std::vector<int> sorted;
    for (int i = 0; i < 60; i++) {
        int key = draw(range);
        auto at = std::lower_bound(sorted.begin(), sorted.end(), key);
        bool is_there = at != sorted.end() && *at == key;
        if (draw(2)) {
            must(set.insert(key).second == !is_there);
            if (!is_there)
                sorted.insert(at, key);
        } else {
            must(set.erase(key) == is_there);
            if (is_there)
                sorted.erase(at);
        }
        must_be(set, sorted);
#ifdef __GLIBCXX__
        const std::_Rb_tree_node_base *root = set.end()._M_node->_M_parent;
        must(root == nullptr || root->_M_color == std::_S_black);
        blacks(root);
#endif
    }
}

static void lists()
{
    std::list<int> one, two;
    std::vector<int> first, second;
    for (int i = 0; i < 60; i++) {
        size_t index = first.empty() ? 0 : draw(first.size());
        auto at = std::next(one.begin(), index);
        auto place = first.begin() + index;
        switch (draw(8)) {
        case 0:
            one.swap(two);
            first.swap(second);
            break;
        case 1:
            one.reverse();
            std::reverse(first.begin(), first.end());
            break;
        case 2:
            one.splice(at, two);
            first.insert(place, second.begin(), second.end());
            second.clear();
            break;
        case 3: {
            size_t length = draw(first.size() - index + 1);
            two.splice(two.end(), one, at, std::next(at, length));
            second.insert(second.end(), place, place + length);
            first.erase(place, place + length);
            break;
        }
        case 4:
            one.sort();
            std::sort(first.begin(), first.end());
            break;
        case 5:
            if (!first.empty()) {
                one.erase(at);
                first.erase(place);
            }
            break;
        default:
            one.insert(at, i);
            first.insert(place, i);
        }
        must_be(one, first);
        must_be(two, second);
    }
}

int main()
{
    std::thread([] {
        for (unsigned range = 1; range < 30; range += 4) {
            sets(range);
            lists();
        }
    }).join();
    return 0;
}
