// What the two halves share.
#include <pthread.h>

#ifdef __cplusplus
extern "C"
#endif
    void *work(void *unused);
