// An account that must not be overdrawn, and a check that comes too early.
//
// `withdraw` throws if there is not enough money. The check and the subtraction are each locked, but not together:
// two withdrawals of 70 from 100 can both pass the check before either takes the money.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 6
// heddle: count = 4
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
        if (balance() < amount)
            throw std::runtime_error("not enough money");
        std::lock_guard<std::mutex> guard(lock);
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
    assert(account.balance() >= 0); // heddle: here
}
