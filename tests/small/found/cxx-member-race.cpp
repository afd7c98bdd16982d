// Two threads call a method that changes a member.
//
// heddle: kind = data-race
#include <thread>

class Counter {
public:
    void add()
    {
        value++;
    }

private:
    int value = 0;
};

int main()
{
    Counter counter;
    std::thread thread(&Counter::add, &counter);
    counter.add();
    thread.join();
    return 0;
}
