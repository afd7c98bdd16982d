// What only C++ has: exceptions, destructors, references to temporaries, lambdas, structured bindings.
#include <string>
#include <utility>
struct Guard {
    long &sum;
    long value;
    ~Guard() { sum += hook(value) * 3; }
};
static long risky(long a) {
    hook(a);
    if (a & 1) throw a;
    if (a & 2) throw std::string(static_cast<size_t>(a & 31), 'x');
    return a + 1;
}
/* Values that only the handlers read. */
static long handlers(long a) {
    long kept = a + 5, other = a * 3, sum = 0;
    try {
        long inner = a + 9;
        sum += risky(hook(a));
        sum += hook(inner);
    } catch (long thrown) {
        sum += thrown + kept;
    } catch (const std::string &text) {
        sum += hook(static_cast<long>(text.size())) + other;
    }
    return sum;
}
static long guarded(long a) {
    long sum = 1, later = a + 2;
    try {
        Guard first{sum, a + 1};
        sum += risky(a);
        Guard second{sum, later};
        sum += risky(a >> 1);
    } catch (...) {
        sum += later;
    }
    return sum;
}
/* Does not end but by an exception: its saved registers are read by nobody else. */
__attribute__((noinline)) static void for_ever(long a, long b) {
    for (long i = 0;; i++) { hook(a * 3 + b); risky(a + b * i + i); }
}
static long unwound(long a) {
    long x = hook(a), y = hook(a + 1), z = hook(a + 2), u = hook(a + 3), v = hook(a + 4);
    try { for_ever(x & 7, y & 3); } catch (long thrown) { x += thrown; } catch (const std::string &) { y++; }
    return x + y * 3 + z * 5 + u * 7 + v * 11;
}
struct Three { int one; long two; short three; };
static Three make_three(long a) { hook(a); return {static_cast<int>(a), a + 1, static_cast<short>(a)}; }
static void change(Three &all) { all.one++; all.two += 2; all.three = static_cast<short>(all.three + 3); hook(all.two); }
static long bindings(long a) {
    auto [x, y, z] = make_three(a);
    hook(x);
    auto &&[u, v, w] = make_three(a + 1);
    long sum = hook(y) + z + u;
    Three own = make_three(sum);
    change(own);
    auto &[p, q, r] = own;
    hook(p);
    change(own);
    auto [f, g] = std::pair<long, int>(a, 3);
    f += hook(g);
    return sum + v + w + p + q + r + f + g;
}
static long lambdas(long a) {
    long one = a + 1, two = a + 2, three = a + 3;
    auto add = [&](long b) { hook(b); one += b; return two + b; };
    auto copy = [=] { return hook(three) + two; };
    long sum = add(3) + copy();
    sum += add(sum);
    return sum + one;
}
static long temporaries(long a) {
    const std::string text = std::string("abc") + std::to_string(hook(a));
    long sum = static_cast<long>(text.size());
    for (char c : text) sum = hook(sum) * 3 + c;
    const long &extended = hook(a) + 1;
    return sum + hook(2) + extended;
}
#define SPECIAL_CPP 6
static long (*const special_cpp[SPECIAL_CPP])(long) = {handlers, guarded, unwound, bindings, lambdas, temporaries};
