// A queue of shared pointers to strings between two threads, as it is usually written. Nothing is wrong with it.
//
// heddle: verdict = safe
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Queue {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::shared_ptr<std::string>> items;
    bool done = false;
};

static void produce(std::shared_ptr<Queue> queue)
{
    for (int i = 0; i < 2; i++) {
        auto item = std::make_shared<std::string>("too long for the string itself, number " + std::to_string(i));
        {
            std::lock_guard<std::mutex> guard(queue->mutex);
            queue->items.push_back(item);
        }
        queue->changed.notify_one();
    }
    std::lock_guard<std::mutex> guard(queue->mutex);
    queue->done = true;
    queue->changed.notify_all();
}

int main()
{
    auto queue = std::make_shared<Queue>();
    std::map<std::string, int> seen;
    std::thread producer(produce, queue);
    std::thread consumer([queue, &seen] {
        std::unique_lock<std::mutex> lock(queue->mutex);
        for (;;) {
            queue->changed.wait(lock, [&] { return !queue->items.empty() || queue->done; });
            if (queue->items.empty())
                break;
            for (auto &item : queue->items)
                seen[*item]++;
            queue->items.clear();
        }
    });
    producer.join();
    consumer.join();
    return seen.size() == 2 ? 0 : 1;
}
