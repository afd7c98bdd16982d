// The compressor in blocks that says under the lock that a block is done.
//
// heddle: verdict = safe
#define FIXED
#include "compressor.c"
