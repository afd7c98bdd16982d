// What the compiled part of libstdc++ does for threads and condition variables, in terms of POSIX. Compiled beside C++ programs.
// A thread's handle is its only member; its function is an object with a table: destructor, deleting destructor, what it runs.
#include <pthread.h>
struct state {
    void (**table)(struct state *);
};
static void *run(void *argument) {
    struct state *state = argument;
    state->table[2](state);
    state->table[1](state);
    return 0;
}
void _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(pthread_t *self, struct state **owner,
                                                                                           void (*depend)(void)) {
    struct state *state = *owner;
    *owner = 0;
    pthread_create(self, 0, run, state);
}
void _ZNSt6thread6_StateD2Ev(struct state *self) {}
void _ZNSt6thread4joinEv(pthread_t *self) {
    pthread_join(*self, 0);
    *self = 0;
}
void _ZNSt6thread6detachEv(pthread_t *self) {
    pthread_detach(*self);
    *self = 0;
}
void _ZNSt18condition_variableC1Ev(pthread_cond_t *self) {}
void _ZNSt18condition_variableD1Ev(pthread_cond_t *self) {
    pthread_cond_destroy(self);
}
void _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(pthread_cond_t *self, pthread_mutex_t **lock) {
    pthread_cond_wait(self, *lock);
}
void _ZNSt18condition_variable10notify_oneEv(pthread_cond_t *self) {
    pthread_cond_signal(self);
}
void _ZNSt18condition_variable10notify_allEv(pthread_cond_t *self) {
    pthread_cond_broadcast(self);
}
