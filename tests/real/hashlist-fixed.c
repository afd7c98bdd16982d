// The hash list whose condition variable is made. The main thread's append goes before, between or after the two critical sections of
// the other: three orders.
//
// heddle: verdict = safe
// heddle: executions = 3
// heddle: flags = --leaks
#define FIXED
#include "hashlist.c"
