// Objects that are made in place, in memory of one's own.
#include <cassert>
#include <cstdlib>
#include <new>
#include <string>

int main()
{
    void *room = std::malloc(sizeof(std::string));
    auto *text = new (room) std::string("a text that is too long for the short form");
    assert(text->size() > 20);
    text->~basic_string();
    std::free(room);
    return 0;
}
