// A thread sets a variable of the environment while another looks for it: both orders are explored.
//
// heddle: kind = assertion
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
void *w(void*x){ setenv("HEDDLE_X","1",1); return 0;}
int main(){ pthread_t t; pthread_create(&t,0,w,0); assert(!getenv("HEDDLE_X")); pthread_join(t,0); return 0;}
