// Found before libstdc++'s own. An std::atomic of a shared or weak pointer has a lock in it, which a reader gives back without a release.
// By the standard's letter that is a data race with the next writer; the library promises that there is none. Here it releases.
#pragma GCC system_header
#include <bits/atomic_base.h>
#if !defined HEDDLE_SHARED_PTR_ATOMIC && defined _GLIBCXX_RELEASE && _GLIBCXX_RELEASE < 16
#define HEDDLE_SHARED_PTR_ATOMIC
#pragma push_macro("fetch_sub")
#undef fetch_sub
#define fetch_sub(__h_count, __h_order) fetch_sub(__h_count, memory_order_acq_rel)
#include_next <bits/shared_ptr_atomic.h>
#pragma pop_macro("fetch_sub")
#else
#include_next <bits/shared_ptr_atomic.h>
#endif
