/* Every renamed function against a plain loop or libc's own, called by a name that is not renamed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

static int failures;
#define CHECK(c) \
    do { \
        if (!(c)) { \
            failures++; \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #c); \
        } \
    } while (0)
#define SIGN(x) (((x) > 0) - ((x) < 0))
/* libc's, found by name when running. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_DEFAULT, #name))

static unsigned seed = 1;
static unsigned draw(unsigned bound) {
    seed = seed * 1103515245 + 12345;
    return (seed >> 8) % bound;
}

static void fill(char *s, wchar_t *w, size_t n) {
    for (size_t i = 0; i < n; i++) w[i] = s[i] = "aAbBc, "[draw(7)];
    w[n] = s[n] = 0;
}

/* Both must do the same to equal memory; results that point into it are compared by offset. */
static char one[256], two[256];
static wchar_t wone[256], wtwo[256];
#define OFFSET(p, base) ((p) ? (long)((p) - (base)) : -1L)
#define SAME_AT(call_ours, call_real) \
    do { \
        char *a_ = (char *)(call_ours); \
        char *b_ = (char *)(call_real); \
        CHECK(OFFSET(a_, one) == OFFSET(b_, two)); \
        CHECK(REAL(memcmp)(one, two, sizeof one) == 0); \
    } while (0)
#define WSAME_AT(call_ours, call_real) \
    do { \
        wchar_t *a_ = (call_ours); \
        wchar_t *b_ = (call_real); \
        CHECK(OFFSET(a_, wone) == OFFSET(b_, wtwo)); \
        CHECK(REAL(memcmp)(wone, wtwo, sizeof wone) == 0); \
    } while (0)

static void reset(size_t n) {
    fill(one, wone, n);
    for (int i = 0; i < 256; i++) {
        if (i > (int)n) one[i] = 'z', wone[i] = 'z';
        two[i] = one[i];
        wtwo[i] = wone[i];
    }
}

static void round_of_checks(void) {
    char s[64], t[64];
    wchar_t ws[64], wt[64];
    size_t n = draw(40), m = draw(40), k = draw(60);
    fill(s, ws, n);
    fill(t, wt, m);
    if (draw(3) == 0 && n <= m) REAL(memcpy)(t, s, n), REAL(memcpy)(wt, ws, n * sizeof *ws);
    int c = "abcz\0"[draw(5)];

    reset(90); SAME_AT(memcpy(one, s, k), REAL(memcpy)(two, s, k));
    reset(90); SAME_AT(mempcpy(one, s, k), REAL(mempcpy)(two, s, k));
    reset(90); SAME_AT(memmove(one + 3, one, k), REAL(memmove)(two + 3, two, k));
    reset(90); SAME_AT(memset(one, c, k), REAL(memset)(two, c, k));
    reset(90); SAME_AT(memccpy(one, s, c, k), REAL(memccpy)(two, s, c, k));
    reset(90); SAME_AT((bzero(one, k), one), (REAL(bzero)(two, k), two));
    reset(90); SAME_AT((explicit_bzero(one, k), one), (REAL(explicit_bzero)(two, k), two));
    reset(90); SAME_AT((bcopy(s, one, k), one), (REAL(bcopy)(s, two, k), two));
    reset(90); SAME_AT(strcpy(one, s), REAL(strcpy)(two, s));
    reset(90); SAME_AT(stpcpy(one, s), REAL(stpcpy)(two, s));
    reset(90); SAME_AT(strncpy(one, s, k), REAL(strncpy)(two, s, k));
    reset(90); SAME_AT(stpncpy(one, s, k), REAL(stpncpy)(two, s, k));
    reset(90); SAME_AT(strcat(one, s), REAL(strcat)(two, s));
    reset(90); SAME_AT(strncat(one, s, k), REAL(strncat)(two, s, k));
    reset(n); SAME_AT(memchr(one, c, k), REAL(memchr)(two, c, k));
    reset(n); SAME_AT(memrchr(one, c, k), REAL(memrchr)(two, c, k));
    reset(n); SAME_AT(rawmemchr(one, 0), REAL(rawmemchr)(two, 0));
    reset(n); SAME_AT(strchr(one, c), REAL(strchr)(two, c));
    reset(n); SAME_AT(strrchr(one, c), REAL(strrchr)(two, c));
    reset(n); SAME_AT(strchrnul(one, c), REAL(strchrnul)(two, c));
    reset(n); SAME_AT(strpbrk(one, "cB"), REAL(strpbrk)(two, "cB"));
    t[2] = 0;
    wt[2] = 0;
    reset(n); SAME_AT(strstr(one, t), REAL(strstr)(two, t));
    reset(n); SAME_AT(strcasestr(one, t), REAL(strcasestr)(two, t));
    reset(n); SAME_AT(memmem(one, n, t, 2), REAL(memmem)(two, n, t, 2));
    fill(t, wt, m);
    CHECK(strlen(s) == n && strnlen(s, k) == (n < k ? n : k));
    CHECK(strspn(s, "aAb") == REAL(strspn)(s, "aAb") && strcspn(s, "cB") == REAL(strcspn)(s, "cB"));
    CHECK(SIGN(memcmp(s, t, n < m ? n : m)) == SIGN(REAL(memcmp)(s, t, n < m ? n : m)));
    CHECK(!bcmp(s, t, n < m ? n : m) == !REAL(bcmp)(s, t, n < m ? n : m));
    CHECK(SIGN(strcmp(s, t)) == SIGN(REAL(strcmp)(s, t)));
    CHECK(SIGN(strncmp(s, t, k)) == SIGN(REAL(strncmp)(s, t, k)));
    CHECK(SIGN(strcasecmp(s, t)) == SIGN(REAL(strcasecmp)(s, t)));
    CHECK(SIGN(strncasecmp(s, t, k)) == SIGN(REAL(strncasecmp)(s, t, k)));
    CHECK(SIGN(strcoll(s, t)) == SIGN(REAL(strcoll)(s, t)));
    reset(90); SAME_AT((strxfrm(one, s, 60), one), (REAL(strxfrm)(two, s, 60), two));

    reset(90); WSAME_AT(wmemcpy(wone, ws, k), REAL(wmemcpy)(wtwo, ws, k));
    reset(90); WSAME_AT(wmempcpy(wone, ws, k), REAL(wmempcpy)(wtwo, ws, k));
    reset(90); WSAME_AT(wmemmove(wone + 3, wone, k), REAL(wmemmove)(wtwo + 3, wtwo, k));
    reset(90); WSAME_AT(wmemset(wone, c, k), REAL(wmemset)(wtwo, c, k));
    reset(90); WSAME_AT(wcscpy(wone, ws), REAL(wcscpy)(wtwo, ws));
    reset(90); WSAME_AT(wcpcpy(wone, ws), REAL(wcpcpy)(wtwo, ws));
    reset(90); WSAME_AT(wcsncpy(wone, ws, k), REAL(wcsncpy)(wtwo, ws, k));
    reset(90); WSAME_AT(wcpncpy(wone, ws, k), REAL(wcpncpy)(wtwo, ws, k));
    reset(90); WSAME_AT(wcscat(wone, ws), REAL(wcscat)(wtwo, ws));
    reset(90); WSAME_AT(wcsncat(wone, ws, k), REAL(wcsncat)(wtwo, ws, k));
    reset(n); WSAME_AT(wmemchr(wone, c, k), REAL(wmemchr)(wtwo, c, k));
    reset(n); WSAME_AT(wcschr(wone, c), REAL(wcschr)(wtwo, c));
    reset(n); WSAME_AT(wcsrchr(wone, c), REAL(wcsrchr)(wtwo, c));
    reset(n); WSAME_AT(wcspbrk(wone, L"cB"), REAL(wcspbrk)(wtwo, L"cB"));
    wt[2] = 0;
    reset(n); WSAME_AT(wcsstr(wone, wt), REAL(wcsstr)(wtwo, wt));
    fill(t, wt, m);
    CHECK(wcslen(ws) == n && wcsnlen(ws, k) == (n < k ? n : k));
    CHECK(wcsspn(ws, L"aAb") == REAL(wcsspn)(ws, L"aAb") && wcscspn(ws, L"cB") == REAL(wcscspn)(ws, L"cB"));
    CHECK(SIGN(wmemcmp(ws, wt, n < m ? n : m)) == SIGN(REAL(wmemcmp)(ws, wt, n < m ? n : m)));
    CHECK(SIGN(wcscmp(ws, wt)) == SIGN(REAL(wcscmp)(ws, wt)));
    CHECK(SIGN(wcsncmp(ws, wt, k)) == SIGN(REAL(wcsncmp)(ws, wt, k)));

    char *d = strdup(s), *e = strndup(s, k);
    wchar_t *wd = wcsdup(ws);
    CHECK(REAL(strcmp)(d, s) == 0 && REAL(strlen)(e) == (n < k ? n : k) && REAL(wcscmp)(wd, ws) == 0);
    free(d), free(e), free(wd);

    reset(n);
    char *rest1 = 0, *rest2 = 0, *token1 = one, *token2 = two;
    for (char *p = one, *q = two; token1; p = q = 0) {
        token1 = strtok_r(p, ", ", &rest1);
        token2 = REAL(strtok_r)(q, ", ", &rest2);
        CHECK(OFFSET(token1, one) == OFFSET(token2, two) && OFFSET(rest1, one) == OFFSET(rest2, two));
        CHECK(REAL(memcmp)(one, two, sizeof one) == 0);
    }
    reset(n);
    rest1 = one, rest2 = two;
    do {
        token1 = strsep(&rest1, ", ");
        token2 = REAL(strsep)(&rest2, ", ");
        CHECK(OFFSET(token1, one) == OFFSET(token2, two) && OFFSET(rest1, one) == OFFSET(rest2, two));
        CHECK(REAL(memcmp)(one, two, sizeof one) == 0);
    } while (rest1);
    reset(n);
    wchar_t *wrest1 = 0, *wrest2 = 0, *wtoken1 = wone, *wtoken2 = wtwo;
    for (wchar_t *p = wone, *q = wtwo; wtoken1; p = q = 0) {
        wtoken1 = wcstok(p, L", ", &wrest1);
        wtoken2 = REAL(wcstok)(q, L", ", &wrest2);
        CHECK(OFFSET(wtoken1, wone) == OFFSET(wtoken2, wtwo));
        CHECK(REAL(memcmp)(wone, wtwo, sizeof wone) == 0);
    }
}

struct big { char bytes[300]; };
static struct big from, to;

int main(void) {
    for (int i = 0; i < 2000; i++) round_of_checks();
    /* Copies that the compiler makes up, and builtins by their own names. */
    for (int i = 0; i < 300; i++) from.bytes[i] = (char)i;
    to = from;
    CHECK(to.bytes[299] == (char)299);
    to = (struct big){{0}};
    CHECK(to.bytes[299] == 0);
    __builtin_memcpy(&to, &from, sizeof to);
    CHECK(__builtin_memcmp(&to, &from, sizeof to) == 0 && __builtin_strlen("abc") == 3);
    __builtin_memset(&to, 7, 24);
    CHECK(to.bytes[23] == 7 && to.bytes[24] == 24);
    printf("%d failures\n", failures);
    return failures != 0;
}
