//! Second names of functions of glibc's thread library, which libraries and old programs call.

/// Defines functions that are other functions: the return address stays where it is.
macro_rules! aliases {
    ($($name:ident = $of:path,)*) => { $(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        #[allow(missing_docs)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!("jmp {of}", of = sym $of)
        }
    )* };
}

aliases! {
    __pthread_mutex_init = super::mutex::pthread_mutex_init,
    __pthread_mutex_destroy = super::mutex::pthread_mutex_destroy,
    __pthread_mutex_lock = super::mutex::pthread_mutex_lock,
    __pthread_mutex_trylock = super::mutex::pthread_mutex_trylock,
    __pthread_mutex_unlock = super::mutex::pthread_mutex_unlock,
    __pthread_rwlock_init = super::rwlock::pthread_rwlock_init,
    __pthread_rwlock_destroy = super::rwlock::pthread_rwlock_destroy,
    __pthread_rwlock_rdlock = super::rwlock::pthread_rwlock_rdlock,
    __pthread_rwlock_tryrdlock = super::rwlock::pthread_rwlock_tryrdlock,
    __pthread_rwlock_wrlock = super::rwlock::pthread_rwlock_wrlock,
    __pthread_rwlock_trywrlock = super::rwlock::pthread_rwlock_trywrlock,
    __pthread_rwlock_unlock = super::rwlock::pthread_rwlock_unlock,
    __pthread_once = super::once::pthread_once,
    __pthread_key_create = super::keys::pthread_key_create,
    __sched_yield = crate::outside::clock::sched_yield,
    __sched_getparam = super::identity::sched_getparam,
    __sched_getscheduler = super::identity::sched_getscheduler,
    __sched_setscheduler = super::identity::sched_setscheduler,
}
