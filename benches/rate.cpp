// The same as rate.c in C++: std::thread, std::mutex, a vector, iostream.
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static int turns;

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([] {
            for (int j = 0; j < 4; j++) {
                std::lock_guard<std::mutex> guard(lock);
                turns++;
            }
        });
    for (auto &thread : threads)
        thread.join();
    std::cout << turns << '\n';
}
