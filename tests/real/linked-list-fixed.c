// The list whose length is looked at under the lock: the main thread's prepend goes before, between or after the two critical sections of the
// other.
//
// heddle: verdict = safe
// heddle: executions = 3
// heddle: flags = --leaks
#define FIXED
#include "linked-list.c"
