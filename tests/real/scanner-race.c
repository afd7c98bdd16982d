// The search through files whose totals are counted without a lock.
//
// heddle: verdict = found
// heddle: kind = data-race
// heddle: more = yes
#define BUG 3
#include "scanner.c"
