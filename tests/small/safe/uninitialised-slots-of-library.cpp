// Atomics in slots that iostreams and exceptions have used before.
#include <atomic>
#include <iostream>
#include <stdexcept>
#include <thread>

static void fill()
{
    std::atomic<long> places[400];
    for (auto &place : places)
        place.store(0, std::memory_order_relaxed);
    std::thread thread([&places] { places[399]++; });
    places[399]++;
    thread.join();
}

int main()
{
    std::cout << 1.5 << std::endl;
    fill();
    try {
        throw std::runtime_error("x");
    } catch (const std::exception &) {
    }
    fill();
}
