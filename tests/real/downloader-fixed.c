// The download in segments with its count read under the lock. Five critical sections: two of each thread, in any order, and
// one of the main thread somewhere among them: 4! / (2! * 2!) * 5 = 30.
//
// heddle: verdict = safe
// heddle: executions = 30
#define FIXED
#include "downloader.c"
