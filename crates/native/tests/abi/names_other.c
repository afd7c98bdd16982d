/* See names.c. */
unsigned long wcsnlen(const char *s, unsigned long limit) {
    unsigned long n = 0;
    while (n < limit && s[n]) n++;
    return 1000 + n;
}

char *strsep(char **rest, const char *delimiters) {
    (void)rest;
    (void)delimiters;
    return 0;
}
