// The balanced tree whose entries are counted under its lock.
//
// heddle: verdict = safe
// heddle: flags = --leaks
#define FIXED
#include "avl.c"
