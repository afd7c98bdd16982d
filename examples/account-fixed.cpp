// An account that must not be overdrawn, checked under the lock that the money is taken under.
//
// The same as account.cpp with one critical section. The exception is thrown while the lock is held, and the guard
// lets go of it.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

class Account {
public:
    explicit Account(int money) : money(money) {}

    int balance()
    {
        std::lock_guard<std::mutex> guard(lock);
        return money;
    }

    void withdraw(int amount)
    {
        std::lock_guard<std::mutex> guard(lock);
        if (money < amount)
            throw std::runtime_error("not enough money");
        money -= amount;
    }

private:
    std::mutex lock;
    int money;
};

int main()
{
    Account account(100);
    auto customer = [&account] {
        try {
            account.withdraw(70);
        } catch (const std::runtime_error &) {
            // Sent away.
        }
    };
    std::thread one(customer), two(customer);
    one.join();
    two.join();
    assert(account.balance() == 30);
}
