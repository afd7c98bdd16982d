// A ring of blocks that nothing points to.
//
// heddle: kind = leak
// heddle: flags = --leaks
#include <stdlib.h>

struct node {
    struct node *next;
};

static __attribute__((noinline)) void ring(void)
{
    struct node *volatile a = malloc(sizeof *a);
    a->next = malloc(sizeof *a);
    a->next->next = a;
    a = NULL;
    (void)a;
}

static __attribute__((noinline)) int overwrite(void)
{
    volatile char room[2000];
    for (int i = 0; i < 2000; i++)
        room[i] = 1;
    return room[5] - 1;
}

int main(void)
{
    ring();
    return overwrite();
    return 0;
}
