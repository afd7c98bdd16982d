/* Functions with what random ones do not have. Each is called by random functions. */
#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#ifdef __cplusplus
extern "C" {
#endif
long hook(long value);
static jmp_buf back;
static int jumps;
static void jump(long how) {
    hook(how);
    if (jumps++ < 2) longjmp(back, (int)(how & 3) + 1);
}
/* What is set before `setjmp` and read after it. */
static long with_setjmp(long a) {
    long before = a * 3 + 1, other = a ^ 5;
    volatile long count = 0;
    jumps = 0;
    int how = setjmp(back);
    count += how + 1;
    if (how == 0) hook(before);
    if (how < 3) { long scratch = hook(count); jump(scratch + a); }
    return before + other + count;
}
static long with_alloca(long a) {
    long kept = a + 7;
    size_t size = (size_t)(a & 15) + 9;
    char *room = (char *)alloca(size);
    memset(room, (int)(a & 63), size);
    long last = hook(room[size - 1]);
    return kept + last + room[0];
}
static long sum_all(int count, ...) {
    va_list list;
    long sum = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++) { long one = va_arg(list, long); hook(sum); sum = sum * 3 + one; }
    va_end(list);
    return sum;
}
static long with_list(long a) {
    long x = a + 1, y = a + 2;
    long first = sum_all(9, x, y, x + y, x - y, a, 5L, 6L, x * 2, y * 2);
    return first + hook(x) + y;
}
struct large { long words[7]; char tail; };
static struct large make_large(long a) {
    struct large made;
    for (int i = 0; i < 7; i++) made.words[i] = hook(a + i);
    made.tail = (char)a;
    return made;
}
/* Its arguments on the stack are read after calls: an integer, a hole, what must be aligned, a structure. */
static long many(long a, long b, long c, long d, long e, long f, int g, long double h, struct large i, long j) {
    long sum = hook(a) + b + c;
    sum += hook(d) + e + f;
    sum += hook(g) * 3;
    sum += (long)h + hook(i.words[6]) + i.words[0] + i.tail;
    return hook(sum) + j;
}
static long with_arguments(long a) {
    struct large one = make_large(a);
    long x = hook(a) + 1;
    long sum = many(x, a, 3, 4, x, 6, (int)(a & 1023), (long double)(a & 255), one, x + 9);
    one.words[2] += sum;
    return hook(one.words[2]) + many(1, 2, 3, 4, 5, 6, 7, 8, one, 10);
}
/* Pointers to the end of an array, and before what follows it. */
static long backwards(long a) {
    int after = (int)a + 3, array[6] = {1, 2, 3, 4, 5, (int)a}, before = (int)a + 5;
    long sum = 0;
    int *end = array + 6;
    while (end != array) { sum = hook(sum) * 2 + *--end; }
    return sum + after + before;
}
/* Indices with distances that compilers fold into the address. */
static long folded(long a) {
    long one = a + 1;
    int array[9];
    long two = a + 2;
    for (size_t i = 0; i < 9; i++) array[i] = (int)(a + (long)i);
    size_t k = (size_t)(a & 3);
    long sum = hook(one);
    sum += array[k + 4] + array[k + 1];
    for (size_t i = 9; i > 0; i--) sum = hook(sum) + array[i - 1];
    for (size_t i = (size_t)-8; i != 0; i++) sum = hook(sum) + array[i + 8];
    return sum + two;
}
/* A variable that only the callee reads. */
__attribute__((noinline)) static long look(const long *at) { long sum = hook(1) + *at; return hook(sum) + *at; }
static long passed(long a) {
    long only = a + 4;
    return look(&only);
}
static long in_registers(long a) {
    long x = hook(a), y = hook(a + 1), z = hook(a + 2), u = hook(a + 3), v = hook(a + 4), w = hook(a + 5), t = hook(a + 6);
    x = hook(x + y * z); y = hook(y ^ u); z = hook(z + v); u = hook(w + t); v = hook(x - u);
    return x + y * 3 + z * 5 + u * 7 + v * 11 + w * 13 + t * 17;
}
static long with_assembly(long a) {
    long one = a, two = a + 9;
    __asm__ volatile("addq $5, %0" : "+m"(one));
    hook(two);
    __asm__ volatile("push %%rbx\n\tmovq %1, %%rbx\n\taddq %%rbx, %0\n\tpop %%rbx" : "+r"(two) : "r"(one) : "cc");
    return hook(one) + two;
}
static long floats(long a) {
    double one = (double)(a & 1023), two = one * 1.5;
    long double three = two + 2;
    __int128 four = (__int128)a * a;
    long sum = hook((long)one);
    two += one;
    sum += hook((long)two) + (long)three + (long)(four >> 7);
    return sum + (long)(hook(3) * three);
}
#if defined(__GNUC__) && !defined(__cplusplus)
static long computed(long a) {
    static const void *const labels[] = {&&zero, &&one, &&two};
    long x = a + 1, y = a + 2, z = a + 3, rounds = 0;
again:
    if (rounds++ > 4) return x + y + z;
    goto *labels[(hook(rounds) + a) % 3 < 0 ? 0 : (rounds + a) % 3 < 0 ? 1 : (rounds + a) % 3];
zero: x = hook(y) + 1; goto again;
one: y = hook(z) * 2; goto again;
two: z = hook(x) ^ y; goto again;
}
#else
static long computed(long a) { return a; }
#endif
#if defined(__GNUC__) && !defined(__clang__) && !defined(__cplusplus)
static long nested(long a) {
    int first = (int)a, second = (int)a + 1, third = (int)a + 2;
    long add(long b) { hook(b); second += 3; return first + second + b; }
    long sum = add(a);
    hook(sum);
    sum += add(sum);
    return sum + third;
}
#else
static long nested(long a) { return a; }
#endif
/* Blocks one after the other, with large objects that may share their place. */
static long scopes(long a) {
    long sum = 0;
    { char one[40]; long x = a + 1; memset(one, (int)a & 31, sizeof one); sum += hook(x) + one[39]; sum += x; }
    { char two[48]; int y = (int)a + 2; memset(two, (int)a & 15, sizeof two); sum += hook(y) + two[47]; sum += two[3] + y; }
    { struct large three = make_large(a); sum += hook(three.words[1]) + three.words[5]; }
    return sum;
}
#ifdef __cplusplus
}
#endif
#define SPECIAL 14
static long (*const special[SPECIAL])(long) = {with_setjmp, with_alloca, with_list, with_arguments, backwards, folded, in_registers,
                                               with_assembly, floats, computed, nested, scopes, with_list, passed};
