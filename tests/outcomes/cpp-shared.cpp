// std::shared_mutex, and an attempt.
// heddle: flags = -std=c++20
// heddle: outcome = 0
// heddle: outcome = 1
// heddle: outcome = -1
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>
static std::shared_mutex lock;
static int value, seen = -1;
int main() {
    std::thread writer([] { std::unique_lock alone(lock); value = 1; });
    std::thread reader([] {
        if (std::shared_lock shared(lock, std::try_to_lock); shared)
            seen = value;
    });
    writer.join();
    reader.join();
    std::printf("%d\n", seen);
}
