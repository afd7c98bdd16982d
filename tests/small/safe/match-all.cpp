// Every way to allocate, freed by what belongs to it.
//
// heddle: flags = -std=c++17 -fsized-deallocation
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct alignas(128) Line {
    int values[40];
};

struct Empty {
};

struct Base {
    virtual ~Base() = default;
    int a = 0;
};

struct Derived : Base {
    std::string text = "longer than what fits into the object itself";
    ~Derived() override = default;
};

struct Own {
    static void *operator new(std::size_t size) { return std::malloc(size + 8); }
    static void operator delete(void *p) { std::free(p); }
    int x = 0;
};

struct Throws {
    Throws() { throw std::runtime_error("no"); }
    std::string text = "longer than what fits into the object itself";
};

static Base *early = new Derived();

static void everything()
{
    std::free(std::malloc(1));
    std::free(std::realloc(std::calloc(2, 3), 4000));
    std::free(std::realloc(nullptr, 3));
    std::free(strdup("text"));
    std::free(aligned_alloc(64, 128));
    void *p = nullptr;
    if (posix_memalign(&p, 128, 5) == 0)
        p = std::realloc(p, 7);
    std::free(p);
    delete new int(3);
    delete[] new int[3];
    delete[] new int[0];
    delete new Empty();
    delete[] new std::string[3];
    delete new Line();
    delete[] new Line[3];
    delete new Own();
    Base *base = new Derived();
    delete base;
    delete new (std::nothrow) int(3);
    delete[] new (std::nothrow) int[3];
    delete new (std::nothrow) Line();
    ::operator delete(::operator new(10));
    ::operator delete(::operator new(10), std::size_t{10});
    ::operator delete(::operator new(0), std::size_t{0});
    ::operator delete[](::operator new[](10), std::nothrow);
    ::operator delete(::operator new(10, std::align_val_t{64}), std::size_t{10}, std::align_val_t{64});
    ::operator delete[](::operator new[](10, std::align_val_t{64}, std::nothrow), std::align_val_t{64}, std::nothrow);
    delete static_cast<int *>(nullptr);
    std::free(nullptr);
    try {
        new Throws();
    } catch (const std::runtime_error &) {
    }
    try {
        volatile std::size_t much = SIZE_MAX / 2;
        delete[] new char[much];
    } catch (const std::bad_alloc &) {
    }
    volatile std::size_t much = SIZE_MAX / 2;
    delete[] new (std::nothrow) char[much];
    delete new int(4);
    std::free(std::malloc(1));
    char text[10] = {0};
    char *placed = new (text) char('a');
    *placed = 'b';
    std::unique_ptr<char, void (*)(void *)> owned(strdup("owned"), std::free);
    std::shared_ptr<Base> shared = std::make_shared<Derived>();
    std::shared_ptr<int[]> array(new int[3]);
    std::vector<Line> lines(3);
    lines.push_back(Line{});
    std::map<int, std::string> map;
    for (int i = 0; i < 5; i++)
        map[i] = "longer than what fits into the object itself " + std::to_string(i);
    std::function<int()> function = [map] { return static_cast<int>(map.size()); };
    std::ostringstream stream;
    stream << "longer than what fits into the object itself" << function() << 1.5;
    char *line = nullptr;
    std::size_t size = 0;
    FILE *memory = fmemopen(const_cast<char *>("a line\n"), 7, "r");
    if (memory != nullptr) {
        if (getline(&line, &size, memory) < 0)
            std::abort();
        std::fclose(memory);
    }
    std::free(line);
}

int main()
{
    int *here = new int(1);
    std::thread other([here] {
        delete here;
        everything();
    });
    other.join();
    everything();
    delete early;
    return 0;
}
