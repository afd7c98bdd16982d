// What a program can see of its place: addresses of threads, stacks, thread-locals, heap and arguments, and the machine.
// heddle: verdict = safe
// heddle: flags = -std=c++20
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <pthread.h>
#include <sched.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

extern char **environ;

thread_local int local = 1;
std::atomic<int> turns[8];

// Seen by a constructor: the same thread-local as in main.
static int *early = [] { local = 2; return &local; }();

static unsigned slot() {
    auto hash = std::hash<std::thread::id>()(std::this_thread::get_id());
    return hash >> 7 & 7;
}

static void show(const char *who) {
    int here;
    void *block = std::malloc(24);
    std::printf("%s: id %#lx stack %p thread-local %p errno %p heap %p slot %u\n", who, (unsigned long)pthread_self(),
                (void *)&here, (void *)&local, (void *)&errno, block, slot());
    std::free(block);
}

int main(int argc, char **argv) {
    if (early != &local || local != 2)
        std::abort();
    std::printf("%d arguments at %p, %s at %p, environment at %p\n", argc, (void *)argv, argv[0], (void *)argv[0],
                (void *)environ);
    show("main");
    std::thread other([] {
        turns[slot()]++;
        show("other");
    });
    turns[slot()]++;
    other.join();
    struct utsname name;
    uname(&name);
    struct sysinfo info;
    sysinfo(&info);
    char host[65];
    gethostname(host, sizeof host);
    std::printf("%s %s %s %s, %lu of memory, up %ld, page %ld\n", name.sysname, name.nodename, name.release, host,
                info.totalram, info.uptime, sysconf(_SC_PAGESIZE));
    std::printf("%u processors, on %d\n", std::thread::hardware_concurrency(), sched_getcpu());
    pthread_attr_t attributes;
    void *low;
    std::size_t size;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    std::printf("stack of %p\n", low);
}
