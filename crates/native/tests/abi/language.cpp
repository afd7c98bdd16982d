// C++ that the instrumentation must not break: strings, streams, exceptions, operator new in all its forms, constants.
#include <atomic>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
#if __cplusplus >= 201703L
#include <string_view>
#endif

static int failures;
#define CHECK(c) \
    do { \
        if (!(c)) { \
            failures++; \
            std::cout << __FILE__ << ":" << __LINE__ << ": " #c "\n"; \
        } \
    } while (0)

struct Base {
    virtual ~Base() {}
    virtual int value() { return 1; }
    int x = 0;
};
struct Derived : Base {
    int value() override { return 2 + x; }
};
struct alignas(64) Aligned {
    char bytes[64];
};
struct Pair {
    long a, b;
};

static bool in_heap(const void *p) {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    return address >= 0x100000000000 && address < 0x500000000000;
}

static void strings() {
    std::string s = "hello";
    s += ", a world that is longer than the small buffer";
    s.push_back('!');
    s.insert(0, "> ");
    s.replace(0, 2, "< ");
    CHECK(s.find("world") == 11 && s.compare(0, 7, "< hello") == 0 && s.substr(2, 5) == "hello");
    CHECK(std::to_string(42) + std::string(3, 'x') == "42xxx");
    std::wstring w = L"wide";
    w.append(20, L'-');
    CHECK(w.size() == 24 && w.rfind(L'e') == 3);
    std::ostringstream out;
    out << s.size() << ' ' << 1.5 << ' ' << std::boolalpha << true;
    CHECK(out.str() == std::to_string(s.size()) + " 1.5 true" && s.size() == std::strlen(s.c_str()));
    std::istringstream in("7 eight");
    int n = 0;
    std::string word;
    in >> n >> word;
    CHECK(n == 7 && word == "eight");
    char buffer[32];
    std::strcpy(buffer, "abc");
    CHECK(std::strchr(buffer, 'b') == buffer + 1 && std::memchr(buffer, 'c', 3) == buffer + 2);
    CHECK(std::strlen(buffer) == 3 && std::strcmp(buffer, "abc") == 0);
#if __cplusplus >= 201703L
    constexpr std::string_view view = "constant";
    static_assert(view.size() == 8 && view.find('s') == 3 && view.compare("constant") == 0, "");
    static_assert(__builtin_memcmp("abc", "abd", 3) < 0 && __builtin_strlen("abc") == 3, "");
    CHECK(view == std::string("constant"));
#endif
}

static void allocation() {
    void *raw = std::calloc(1, 1);
    CHECK(in_heap(raw));
    std::free(raw);
    int *one = new int(3), *many = new int[100]();
    CHECK(in_heap(one) && in_heap(many) && many[99] == 0);
    delete one;
    delete[] many;
    CHECK((one = new (std::nothrow) int) && in_heap(one));
    operator delete(one, std::nothrow);
#if __cplusplus >= 201703L
    auto *aligned = new Aligned;
    CHECK(in_heap(aligned) && reinterpret_cast<std::uintptr_t>(aligned) % 64 == 0);
    delete aligned;
    auto *array = new Aligned[3];
    CHECK(reinterpret_cast<std::uintptr_t>(array) % 64 == 0);
    delete[] array;
#endif
    volatile std::size_t huge = ~std::size_t(0) / 2;
    bool thrown = false;
    try {
        static_cast<void>(operator new(huge - 100));
    } catch (const std::bad_alloc &) {
        thrown = true;
    }
    CHECK(thrown && !operator new(huge - 100, std::nothrow));
    std::map<int, std::vector<std::string>> map;
    for (int i = 0; i < 1000; i++) map[i % 17].push_back(std::string(i % 50, 'm'));
    CHECK(map[3].size() == 59 && map[3][1].size() == 20);
    auto shared = std::make_shared<Derived>();
    std::weak_ptr<Derived> weak = shared;
    CHECK(weak.lock()->value() == 2);
    std::unique_ptr<Base> base(new Derived);
    CHECK(base->value() == 2 && dynamic_cast<Derived *>(base.get()));
}

thread_local std::string own = "own";

static void threads() {
    std::atomic<int> count{0};
    std::atomic<Pair> pair{Pair{1, 2}};
    std::atomic<double> number{1.0};
    std::mutex mutex;
    int sum = 0;
    std::vector<std::thread> running;
    for (int t = 0; t < 4; t++)
        running.emplace_back([&, t] {
            own += std::to_string(t);
            for (int i = 0; i < 1000; i++) {
                count++;
                double old = number.load();
                while (!number.compare_exchange_weak(old, old + 1)) {}
                std::lock_guard<std::mutex> lock(mutex);
                sum++;
            }
            try {
                if (own.size() == 4) throw std::runtime_error("thrown");
            } catch (const std::exception &e) {
                if (std::string(e.what()) == "thrown") count++;
            }
        });
    for (auto &thread : running) thread.join();
    CHECK(count == 4004 && sum == 4000 && number == 4001.0 && own == "own");
    Pair expected{1, 2}, read = pair.load();
    CHECK(read.a == 1 && read.b == 2 && pair.compare_exchange_strong(expected, Pair{3, 4}));
    CHECK(pair.exchange(Pair{5, 6}).b == 4);
    std::this_thread::sleep_for(std::chrono::microseconds(10));
    CHECK(std::chrono::steady_clock::now().time_since_epoch().count() > 0);
}

static void algorithms() {
    std::array<int, 50> a{}, b;
    for (int i = 0; i < 50; i++) a[i] = (i * 37) % 50;
    b = a;
    std::sort(b.begin(), b.end());
    CHECK(b[0] == 0 && b[49] == 49 && std::equal(a.begin(), a.end(), a.begin()));
    std::copy(b.begin(), b.begin() + 10, a.begin());
    std::fill(a.begin() + 10, a.begin() + 20, -1);
    CHECK(a[9] == 9 && a[10] == -1);
}

int main() {
    strings();
    allocation();
    threads();
    algorithms();
    std::cout << failures << " failures\n";
    return failures != 0;
}
