// The second half of a program in two files, in C++.
#include "two-files.h"

#include <mutex>

static std::mutex lock;
static int count;

void *work(void *unused)
{
    std::lock_guard<std::mutex> guard(lock);
    count++;
    return unused;
}
