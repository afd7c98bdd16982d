// The locale and the time zone are the same everywhere, whatever the shell says.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <assert.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(void)
{
    time_t now = time(NULL);
    struct tm here, there;
    assert(strcmp(getenv("LC_ALL"), "C") == 0);
    assert(strcmp(getenv("TZ"), "UTC0") == 0);
    assert(!getenv("LANG") && !getenv("LANGUAGE") && !getenv("LC_CTYPE"));
    assert(getenv("PATH"));
    assert(strcmp(setlocale(LC_ALL, ""), "C") == 0);
    assert(localtime_r(&now, &here) && gmtime_r(&now, &there));
    assert(here.tm_hour == there.tm_hour && here.tm_mday == there.tm_mday);
    return 0;
}
