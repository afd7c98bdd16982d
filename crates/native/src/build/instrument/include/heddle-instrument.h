/* Put before every file that Heddle compiles.
 *
 * libc is not instrumented: what its memory and string functions touch is seen because the calls go to Heddle's
 * functions of the same meaning. Only the names that the linker sees change; the program's code sees its own headers.
 * A function of the program's own that has one of these names gets the other name too, and is called by it.
 */
#pragma GCC system_header

/* Assembly is preprocessed too, and knows no declarations. */
#ifndef __ASSEMBLER__

/* For `heddle.h`, and for programs that want to know. */
#define __HEDDLE__ 1

/* Checked variants would go by other names. */
#undef _FORTIFY_SOURCE

#pragma redefine_extname bcmp __wrap_bcmp
#pragma redefine_extname bcopy __wrap_bcopy
#pragma redefine_extname bzero __wrap_bzero
#pragma redefine_extname explicit_bzero __wrap_explicit_bzero
#pragma redefine_extname memccpy __wrap_memccpy
#pragma redefine_extname memchr __wrap_memchr
#pragma redefine_extname memcmp __wrap_memcmp
#pragma redefine_extname memcpy __wrap_memcpy
#pragma redefine_extname memmem __wrap_memmem
#pragma redefine_extname memmove __wrap_memmove
#pragma redefine_extname mempcpy __wrap_mempcpy
#pragma redefine_extname memrchr __wrap_memrchr
#pragma redefine_extname memset __wrap_memset
#pragma redefine_extname rawmemchr __wrap_rawmemchr
#pragma redefine_extname stpcpy __wrap_stpcpy
#pragma redefine_extname stpncpy __wrap_stpncpy
#pragma redefine_extname strcasecmp __wrap_strcasecmp
#pragma redefine_extname strcasestr __wrap_strcasestr
#pragma redefine_extname strcat __wrap_strcat
#pragma redefine_extname strchr __wrap_strchr
#pragma redefine_extname strchrnul __wrap_strchrnul
#pragma redefine_extname strcmp __wrap_strcmp
#pragma redefine_extname strcoll __wrap_strcoll
#pragma redefine_extname strcpy __wrap_strcpy
#pragma redefine_extname strcspn __wrap_strcspn
#pragma redefine_extname strdup __wrap_strdup
#pragma redefine_extname strlen __wrap_strlen
#pragma redefine_extname strncasecmp __wrap_strncasecmp
#pragma redefine_extname strncat __wrap_strncat
#pragma redefine_extname strncmp __wrap_strncmp
#pragma redefine_extname strncpy __wrap_strncpy
#pragma redefine_extname strndup __wrap_strndup
#pragma redefine_extname strnlen __wrap_strnlen
#pragma redefine_extname strpbrk __wrap_strpbrk
#pragma redefine_extname strrchr __wrap_strrchr
#pragma redefine_extname strsep __wrap_strsep
#pragma redefine_extname strspn __wrap_strspn
#pragma redefine_extname strstr __wrap_strstr
#pragma redefine_extname strtok_r __wrap_strtok_r
#pragma redefine_extname strxfrm __wrap_strxfrm
#pragma redefine_extname wcpcpy __wrap_wcpcpy
#pragma redefine_extname wcpncpy __wrap_wcpncpy
#pragma redefine_extname wcscat __wrap_wcscat
#pragma redefine_extname wcschr __wrap_wcschr
#pragma redefine_extname wcscmp __wrap_wcscmp
#pragma redefine_extname wcscpy __wrap_wcscpy
#pragma redefine_extname wcscspn __wrap_wcscspn
#pragma redefine_extname wcsdup __wrap_wcsdup
#pragma redefine_extname wcslen __wrap_wcslen
#pragma redefine_extname wcsncat __wrap_wcsncat
#pragma redefine_extname wcsncmp __wrap_wcsncmp
#pragma redefine_extname wcsncpy __wrap_wcsncpy
#pragma redefine_extname wcsnlen __wrap_wcsnlen
#pragma redefine_extname wcspbrk __wrap_wcspbrk
#pragma redefine_extname wcsrchr __wrap_wcsrchr
#pragma redefine_extname wcsspn __wrap_wcsspn
#pragma redefine_extname wcsstr __wrap_wcsstr
#pragma redefine_extname wcstok __wrap_wcstok
#pragma redefine_extname wmemchr __wrap_wmemchr
#pragma redefine_extname wmemcmp __wrap_wmemcmp
#pragma redefine_extname wmemcpy __wrap_wmemcpy
#pragma redefine_extname wmemmove __wrap_wmemmove
#pragma redefine_extname wmempcpy __wrap_wmempcpy
#pragma redefine_extname wmemset __wrap_wmemset

/* gcc expands calls by these names in place, whatever it is told, and does not instrument what comes of it. */
#ifndef __clang__
#ifdef __cplusplus
extern "C" {
#endif
void *__wrap_memcpy(void *, const void *, __SIZE_TYPE__) __attribute__((__nothrow__));
void *__wrap_memmove(void *, const void *, __SIZE_TYPE__) __attribute__((__nothrow__));
void *__wrap_mempcpy(void *, const void *, __SIZE_TYPE__) __attribute__((__nothrow__));
void *__wrap_memset(void *, int, __SIZE_TYPE__) __attribute__((__nothrow__));
int __wrap_memcmp(const void *, const void *, __SIZE_TYPE__) __attribute__((__nothrow__));
int __wrap_strcmp(const char *, const char *) __attribute__((__nothrow__));
int __wrap_strncmp(const char *, const char *, __SIZE_TYPE__) __attribute__((__nothrow__));
char *__wrap_strcpy(char *, const char *) __attribute__((__nothrow__));
char *__wrap_stpcpy(char *, const char *) __attribute__((__nothrow__));
char *__wrap_strncpy(char *, const char *, __SIZE_TYPE__) __attribute__((__nothrow__));
char *__wrap_strcat(char *, const char *) __attribute__((__nothrow__));
char *__wrap_strncat(char *, const char *, __SIZE_TYPE__) __attribute__((__nothrow__));
#ifdef __cplusplus
}
#endif
#define __builtin_memcpy __wrap_memcpy
#define __builtin_memmove __wrap_memmove
#define __builtin_mempcpy __wrap_mempcpy
#define __builtin_memset __wrap_memset
#define __builtin_strcpy __wrap_strcpy
#define __builtin_stpcpy __wrap_stpcpy
#define __builtin_strncpy __wrap_strncpy
#define __builtin_strcat __wrap_strcat
#define __builtin_strncat __wrap_strncat
#ifdef __cplusplus
/* These may stand in constant expressions. */
#define __builtin_memcmp(...) \
    (__builtin_is_constant_evaluated() ? __builtin_memcmp(__VA_ARGS__) : __wrap_memcmp(__VA_ARGS__))
#define __builtin_strcmp(...) \
    (__builtin_is_constant_evaluated() ? __builtin_strcmp(__VA_ARGS__) : __wrap_strcmp(__VA_ARGS__))
#define __builtin_strncmp(...) \
    (__builtin_is_constant_evaluated() ? __builtin_strncmp(__VA_ARGS__) : __wrap_strncmp(__VA_ARGS__))
#else
#define __builtin_memcmp __wrap_memcmp
#define __builtin_strcmp __wrap_strcmp
#define __builtin_strncmp __wrap_strncmp
#endif
#endif
#endif /* __ASSEMBLER__ */
