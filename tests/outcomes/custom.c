// A primitive of the program's own, a gate for two: one of three stays outside until somebody leaves.
// heddle: outcome = 1 2 3
// heddle: outcome = 1 3 2
// heddle: outcome = 2 1 3
// heddle: outcome = 2 3 1
// heddle: outcome = 3 1 2
// heddle: outcome = 3 2 1
#include "run.h"
#include <heddle.h>
struct gate {
    int open, order;
};
static int is_open(const void *state) { return ((const struct gate *)state)->open > 0; }
static int enter(void *state) {
    struct gate *gate = state;
    gate->open--;
    return ++gate->order;
}
static int leave(void *state) { return ((struct gate *)state)->open++; }
static const struct heddle_operation operations[] = {{"enter", is_open, enter}, {"leave", 0, leave}};
static const struct heddle_primitive gates = {"gate", sizeof(struct gate), 2, operations};
static struct gate gate = {2, 0};
static int place[4];
static void *passes(void *me) {
    place[(long)me] = heddle_do(&gates, &gate, 0);
    heddle_do(&gates, &gate, 1);
    return 0;
}
int main(void) {
    RUN(passes, passes, passes);
    printf("%d %d %d\n", place[1], place[2], place[3]);
}
