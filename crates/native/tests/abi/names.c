/* A program with functions of its own under names of libc's: they stay its own, in this file and in the other. */
#include <stdio.h>

typedef unsigned long size;
size wcsnlen(const char *s, size limit);
char *strsep(char **rest, const char *delimiters);

static int wcslen_of(int x) { return x + 1; }
static char *strcasestr(const char *s, const char *t) { return s == t ? 0 : (char *)s + 2; }

int main(void) {
    char text[] = "a,b", *rest = text;
    if (wcsnlen(text, 3) != 1003 || strsep(&rest, ",") != 0 || wcslen_of(1) != 2 || *strcasestr(text, "x") != 'b') {
        printf("not its own\n");
        return 1;
    }
    printf("0 failures\n");
    return 0;
}
