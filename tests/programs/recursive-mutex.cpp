// std::recursive_mutex, and a condition that waits with it locked once.
//
// heddle: verdict = safe
// heddle: executions = 3
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Account {
    std::recursive_mutex lock;
    std::condition_variable_any changed;
    int balance = 0;

public:
    void add(int amount)
    {
        std::lock_guard guard(lock);
        balance += amount;
        changed.notify_all();
    }
    void add_twice(int amount)
    {
        std::lock_guard guard(lock);
        add(amount);
        add(amount);
    }
    void wait_for(int amount)
    {
        std::unique_lock guard(lock);
        changed.wait(guard, [&] { return balance >= amount; });
        assert(balance == amount);
    }
};

int main()
{
    Account account;
    std::thread adder([&] { account.add_twice(2); });
    account.wait_for(4);
    adder.join();
}
