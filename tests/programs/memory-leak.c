// A node that is unlinked and forgotten; the rest of the list stays reachable, also through pointers into the middle.
//
// heddle: verdict = found
// heddle: kind = leak
// heddle: executions = 1
// heddle: flags = --leaks
#include <stdlib.h>

struct node {
    long before[4];
    struct node *next;
};

static struct node **volatile last;
static struct node *volatile passing;

static __attribute__((noinline)) void build(void)
{
    struct node *first = malloc(sizeof *first);
    first->next = calloc(1, sizeof *first);
    last = &first->next;
    struct node *lost = malloc(sizeof *lost); // heddle: here
    lost->next = first;
    passing = lost;
    passing = NULL;
}

/// What `build` and the calls in it left on the stack, deep down, is nobody's any more.
int main(void)
{
    build();
    return 0;
}
