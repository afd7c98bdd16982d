// A lambda keeps a reference to a block that is gone.
//
// heddle: kind = memory
#include <semaphore.h>
#include <thread>

static sem_t go;

int main()
{
    sem_init(&go, 0, 0);
    int *number = new int(1);
    std::thread thread([&value = *number] {
        sem_wait(&go);
        value++;
    });
    delete number;
    sem_post(&go);
    thread.join();
    return 0;
}
