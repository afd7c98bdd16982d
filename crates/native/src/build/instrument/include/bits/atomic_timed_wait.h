// Found before libstdc++'s own: like atomic_wait.h, for waits with a time-out, which would look until it has passed.
#pragma GCC system_header
#include_next <bits/atomic_timed_wait.h>
#if !defined HEDDLE_ATOMIC_TIMED_WAIT && __cplusplus > 201703L && defined __cpp_lib_atomic_wait && defined _GLIBCXX_RELEASE && _GLIBCXX_RELEASE < 15
#define HEDDLE_ATOMIC_TIMED_WAIT
namespace std
{
namespace __detail
{
template <typename _Pred>
inline bool __atomic_spin(_Pred &__pred, __timed_backoff_spin_policy) noexcept
{
    return __pred();
}
}
}
#endif
