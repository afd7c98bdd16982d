// Found before libstdc++'s own. A wait for an atomic looks sixteen times before it sleeps. How often it looks makes no
// difference to what can happen, only to how many executions show it: here it looks once.
#pragma GCC system_header
#include_next <bits/atomic_wait.h>
#if !defined HEDDLE_ATOMIC_WAIT && __cplusplus > 201703L && defined __cpp_lib_atomic_wait && defined _GLIBCXX_RELEASE && _GLIBCXX_RELEASE < 15
#define HEDDLE_ATOMIC_WAIT
namespace std
{
namespace __detail
{
template <typename _Pred>
inline bool __atomic_spin(_Pred &__pred, __default_spin_policy) noexcept
{
    return __pred();
}
}
}
#endif
