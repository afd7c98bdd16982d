// Five pieces of concurrent code, each with a mistake that an ordinary run of a test hardly ever shows; `Repaired` ones have none.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <type_traits>

// Two accounts with a lock each. A transfer in each direction takes the locks in opposite order.
template <bool Repaired> struct Accounts {
    std::mutex first, second;
    int balance[2] = {10, 10};

    void forward()
    {
        std::lock_guard<std::mutex> a(first);
        std::lock_guard<std::mutex> b(second);
        balance[0]--, balance[1]++;
    }

    void backward()
    {
        std::lock_guard<std::mutex> b(Repaired ? first : second);
        std::lock_guard<std::mutex> a(Repaired ? second : first);
        balance[1]--, balance[0]++;
    }
};

// Counts hits, without anything that orders them.
template <bool Repaired> struct Hits {
    std::conditional_t<Repaired, std::atomic<int>, int> hits{0};

    void add() { hits++; }
};

// A box for one number. The sender does not take the lock under which the receiver looks, and then waits.
template <bool Repaired> struct Box {
    std::mutex lock;
    std::condition_variable filled;
    std::atomic<int> number{0};

    void put(int n)
    {
        std::unique_lock<std::mutex> guard(lock, std::defer_lock);
        if (Repaired) guard.lock();
        number = n;
        filled.notify_one();
    }

    int take()
    {
        std::unique_lock<std::mutex> guard(lock);
        while (number == 0) filled.wait(guard);
        return number;
    }
};

// Sells what is in stock: looks, and then takes.
template <bool Repaired> struct Stock {
    std::atomic<int> left{1};

    bool sell()
    {
        int there = 1;
        if (Repaired) return left.compare_exchange_strong(there, 0);
        if (left == 0) return false;
        left--;
        return true;
    }
};

// A pointer that one thread publishes and another uses.
template <bool Repaired> struct Published {
    int value = 7;
    std::atomic<int *> where{nullptr};

    void publish() { where = &value; }

    int read()
    {
        int *from = where;
        if (Repaired && !from) return 0;
        return *from;
    }
};

// Runs two functions in two threads.
template <class One, class Two> void both(One one, Two two)
{
    std::thread other(two);
    one();
    other.join();
}
