// A lock for readers and two kinds of writers, as a primitive of the program's own: 3! orders of three critical sections.
// heddle: verdict = safe
// heddle: executions = 6
#include <heddle.h>

struct lock { int readers, writer; };
static struct lock lock;

static int can_read(const void *state) { return ((const struct lock *)state)->writer == 0; }
static int read_begins(void *state) { return ((struct lock *)state)->readers++; }
static int read_ends(void *state) { return --((struct lock *)state)->readers; }
static int can_write(const void *state) { return can_read(state) && ((const struct lock *)state)->readers == 0; }
static int first_writes(void *state) { return ((struct lock *)state)->writer = 1; }
static int second_writes(void *state) { return ((struct lock *)state)->writer = 2; }
static int write_ends(void *state) { return ((struct lock *)state)->writer = 0; }

enum { READ, READ_DONE, WRITE_1, WRITE_2, WRITE_DONE };
static const struct heddle_operation operations[] = {
    {"read", can_read, read_begins},
    {"read done", 0, read_ends},
    {"first write", can_write, first_writes},
    {"second write", can_write, second_writes},
    {"write done", 0, write_ends},
};
static const struct heddle_primitive two_writers = {"two-writers lock", sizeof lock, 5, operations};

static void read_lock(void) { heddle_do(&two_writers, &lock, READ); }
static void read_unlock(void) { heddle_do(&two_writers, &lock, READ_DONE); }
static void write_lock_1(void) { heddle_do(&two_writers, &lock, WRITE_1); }
static void write_lock_2(void) { heddle_do(&two_writers, &lock, WRITE_2); }
static void write_unlock(void) { heddle_do(&two_writers, &lock, WRITE_DONE); }

#include "custom-two-writers.h"
