// A primitive of the program's own that waits for what nobody does: a gate that opens once for one.
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: executions = 2
// heddle: count = 2
#include <heddle.h>
#include <pthread.h>

static int gate;
static int is_open(const void *state) { return *(const int *)state > 0; }
static int enter(void *state) { return --*(int *)state; }
static int open_gate(void *state) { return ++*(int *)state; }
static const struct heddle_operation operations[] = {{"enter", is_open, enter}, {"open", 0, open_gate}};
static const struct heddle_primitive gates = {"gate", sizeof gate, 2, operations};

static void *guest(void *argument) {
    heddle_do(&gates, &gate, 0); // heddle: here
    return argument;
}

int main(void) {
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], 0, guest, 0);
    heddle_do(&gates, &gate, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], 0); // heddle: here
}
