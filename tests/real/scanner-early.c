// The search through files whose main thread does not wait for the others: they are killed at their work.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: flags = --races ignore
#define BUG 2
#define SCANNERS 1
#define FILES 1
#include "scanner.c"
