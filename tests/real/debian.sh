#!/usr/bin/env bash
# Programs that nobody wrote for Heddle: fetched as Debian source packages, built by their own build systems with `heddle cc`, and checked.
#
# debian.sh HEDDLE [DIRECTORY]. The sources come from where this machine's own packages come from: its deb entries are taken as
# deb-src entries, in lists of their own, and where they name Debian's release, those of later releases beside it: not every
# archive is to be had of every version. What cannot be fetched is skipped, and said to be.
set -uo pipefail
heddle=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
work=${2:-$(mktemp -d)}
mkdir -p "$work"
work=$(realpath "$work")
export HEDDLE_CACHE=$work/cache HEDDLE_CC=${HEDDLE_CC:-gcc} HEDDLE_CXX=${HEDDLE_CXX:-g++}
# For builds that want one word.
ln -sf "$heddle" "$work/heddle-cc"
export UV_RUN_AS_ROOT=1
: >"$work/table"
failed=0 skipped=0 passed=0

say() { printf '%s\n' "$*"; }
skip() { say "skipped: $*"; skipped=$((skipped + 1)); }

# --- Fetching ---------------------------------------------------------------------------------------------------

lists() {
    command -v apt-get >/dev/null && command -v dpkg-source >/dev/null || return 1
    mkdir -p "$work/apt/parts" "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
    local file
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -f "$file" ] && sed -e 's/^Types:.*/Types: deb-src/' -e 's/^Suites: \(bookworm\|trixie\)\b\(.*-updates.*\)*$/& trixie sid/' \
            "$file" >"$work/apt/parts/$(basename "$file")"
    done
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -f "$file" ] && sed -n 's/^deb /deb-src /p' "$file" >"$work/apt/parts/$(basename "$file")"
    done
    cat >"$work/apt.conf" <<END
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "$work/apt/parts";
Dir::State::Lists "$work/apt/lists";
Dir::Cache "$work/apt/cache";
APT::Sandbox::User "root";
END
    APT_CONFIG=$work/apt.conf timeout 120 apt-get update >"$work/update.log" 2>&1
    # An error about one list does not matter if there are others.
    ls "$work"/apt/lists/*Sources* >/dev/null 2>&1
}

# fetch PACKAGE: its sources in $work/PACKAGE: of the first version that can be had, with Debian's changes if they can be had too.
fetch() {
    [ -d "$work/$1" ] && return 0
    local place=$work/fetched/$1 version
    for version in $(APT_CONFIG=$work/apt.conf apt-cache showsrc "$1" 2>/dev/null | sed -n 's/^Version: //p'); do
        rm -rf "$place"
        mkdir -p "$place"
        if (cd "$place" && APT_CONFIG=$work/apt.conf timeout 180 apt-get source --download-only "$1=$version" &&
            dpkg-source --no-check -x ./*.dsc "$work/$1") >"$work/fetch-$1.log" 2>&1; then return 0; fi
        rm -rf "${work:?}/$1"
        if ls "$place"/*.orig.tar.* >/dev/null 2>&1; then
            mkdir -p "$work/$1"
            tar -C "$work/$1" --strip-components=1 -xf "$place"/*.orig.tar.* >>"$work/fetch-$1.log" 2>&1 && return 0
            rm -rf "${work:?}/$1"
        fi
    done
    return 1
}

# build NAME DIRECTORY COMMAND...
build() {
    local name=$1 directory=$2
    shift 2
    (cd "$directory" && "$@") >"$work/build-$name.log" 2>&1 && return 0
    say "FAILED: $name does not build: $work/build-$name.log"
    failed=$((failed + 1))
    return 1
}

# expect NAME PATTERN ARGUMENTS...: what `heddle check` says in the end.
expect() {
    local name=$1 pattern=$2 begin=$SECONDS said verdict
    shift 2
    said=$(timeout -k 5 150 "$heddle" check --no-progress --out "$work/out" "$@" 2>&1)
    printf '%s\n' "$said" >"$work/check-$name.log"
    verdict=$(grep -E "^(safe|found|incomplete|unsupported)" <<<"$said" | tail -n 1)
    if grep -qE "$pattern" <<<"$said"; then
        say "ok: $name: $verdict ($((SECONDS - begin)) s)"
        passed=$((passed + 1))
    else
        say "FAILED: $name: expected \`$pattern\`, see $work/check-$name.log"
        tail -n 5 <<<"$said"
        failed=$((failed + 1))
    fi
    printf '%-28s %4s s  %s\n' "$name" "$((SECONDS - begin))" "${verdict:-no verdict}" >>"$work/table"
}

# No autotools are needed: what they would make is in the package.
quiet_make() { make AUTOMAKE=: AUTOCONF=: ACLOCAL=: AUTOHEADER=: "$@"; }

# --- The programs -----------------------------------------------------------------------------------------------

lists || { say "skipped: source packages cannot be fetched from here"; exit 0; }
head -c 2000 "$here/debian/ck.c" >"$work/input"
for n in 1 2 3 4 5 6; do cat "$here/debian/ck.c"; done | head -c 20000 >"$work/medium"
seq 1 50000 | head -c 300000 >"$work/large"

if fetch libzstd; then
    if build zstd-pool "$work/libzstd" make -C tests CC="$heddle cc" poolTests; then
        # The test itself destroys a mutex that it holds.
        expect zstd-pool-misuse 'found: 1 finding' "$work/libzstd/tests/poolTests" --max-executions 1
        expect zstd-pool 'nothing found in 20 executions' "$work/libzstd/tests/poolTests" --misuse off --max-executions 20
    fi
else
    skip "zstd cannot be fetched"
fi

if fetch xz-utils; then
    # Its checksums by carry-less multiplication read whole vectors across the ends of buffers, on purpose: the others do not.
    configure() {
        ./configure CC="$heddle cc" CFLAGS="-O1 -g" --disable-clmul-crc --disable-assembler --disable-shared --disable-nls --disable-doc &&
            quiet_make -j2
    }
    if build xz "$work/xz-utils" configure; then
        expect xz 'nothing found in [0-9,]+ executions' "$work/xz-utils/src/xz/xz" --max-executions 60 --timeout 60s -- -T2 --block-size=1000 -c -k "$work/input"
    fi
else
    skip "xz cannot be fetched"
fi

if fetch pigz; then
    if build pigz "$work/pigz" make CC="$heddle cc" CFLAGS="-O1 -g"; then
        expect pigz 'nothing found in 100 executions' "$work/pigz/pigz" --max-executions 100 --timeout 60s -- -p 2 -b 128 -c -k "$work/large"
    fi
else
    skip "pigz cannot be fetched"
fi

if fetch plzip && fetch lzlib; then
    library() { ./configure CC="$heddle cc" CFLAGS="-O1 -g" && make; }
    program() { ./configure CXX="$heddle c++" CXXFLAGS="-O1 -g" CPPFLAGS="-I$work/lzlib" LDFLAGS="-L$work/lzlib" && make; }
    if build lzlib "$work/lzlib" library && build plzip "$work/plzip" program; then
        # Whether progress is shown is decided by main after the threads have begun that ask for it.
        expect plzip-race 'data-race: `show_progress' "$work/plzip/plzip" --max-executions 20 -- -n 2 -B 8KiB -s 4KiB -c -k "$work/medium"
        expect plzip 'nothing found in [0-9,]+ executions' "$work/plzip/plzip" --races ignore --max-executions 20 --timeout 60s -- -n 2 -B 8KiB -s 4KiB -c -k "$work/medium"
    fi
else
    skip "plzip or lzlib cannot be fetched"
fi

if fetch ck; then
    configure() { CC=$work/heddle-cc ./configure --use-cc-builtins && make; }
    if build ck "$work/ck" configure; then
        for use in RING:9 STACK:4 FAS:16 TICKET:6 DEC:20 RWLOCK:19; do
            expect "ck-${use%:*}" "safe: all ${use#*:} executions" "$here/debian/ck.c" -DUSE="${use%:*}" -DCK_USE_CC_BUILTINS=1 -I"$work/ck/include" \
                "$work/ck/src/libck.a" -O1 --races ignore --cc gcc
        done
    fi
else
    skip "ck cannot be fetched"
fi

if fetch liburcu; then
    # Its atomics are inline assembly, which is not seen: those of the compiler are there for other processors. Loops that wait give up and
    # sleep after a hundred looks; after one is as good.
    generic=(-D_URCU_ARCH_UATOMIC_X86_H -include urcu/config.h -include urcu/uatomic/gcc.h)
    configure() {
        sed -i 's/ACTIVE_ATTEMPTS 100/ACTIVE_ATTEMPTS 1/' src/urcu*.c
        ./configure CC="$heddle cc" --disable-shared && quiet_make -C src -j2 CFLAGS="-O1 -g ${generic[*]}"
    }
    if build liburcu "$work/liburcu" configure; then
        libraries=("$work"/liburcu/src/.libs/liburcu-{mb,cds,common}.a)
        for use in 'STACK:safe: all 10 executions' 'HASTE:memory: use after free' 'GRACE:safe: all 65 executions'; do
            expect "liburcu-${use%%:*}" "${use#*:}" "$here/debian/urcu.c" -DUSE="${use%%:*}" -D_LGPL_SOURCE "${generic[@]}" -I"$work/liburcu/include" \
                "${libraries[@]}" -O1 --races ignore --cc gcc
        done
    fi
else
    skip "liburcu cannot be fetched"
fi

if fetch concurrentqueue; then
    expect concurrentqueue 'safe: all 3 executions' "$here/debian/concurrentqueue.cpp" -I"$work/concurrentqueue" -O1 --cc gcc
    expect concurrentqueue-two 'safe: all 2,577 executions' "$here/debian/concurrentqueue.cpp" -DTWO -I"$work/concurrentqueue" -O1 --cc gcc
else
    skip "concurrentqueue cannot be fetched"
fi

if ! command -v cmake >/dev/null; then
    skip "libuv is built by cmake, which is not here"
elif fetch libuv1; then
    configure() { mkdir -p made && cd made && CC="$heddle cc" cmake -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS="-O1 -g" .. && make -j2 uv_run_tests_a; }
    if build libuv "$work/libuv1" configure; then
        uv() { expect "libuv-$1" "$2" "$work/libuv1/made/uv_run_tests_a" "${@:3}" -- "$1" "$1"; }
        for test in thread_mutex thread_rwlock thread_rwlock_trylock semaphore_2 semaphore_3 condvar_5 thread_create thread_equal; do
            uv "$test" 'safe: the only execution'
        done
        for test in barrier_1 barrier_2 barrier_3 condvar_1 condvar_2; do uv "$test" 'safe: all 2 executions'; done
        uv barrier_serial_thread 'safe: all 5 executions'
        # These take it that a tenth of a second is enough for others to get somewhere.
        uv semaphore_1 'found: 1 finding'
        uv condvar_3 'found: 1 finding'
        uv condvar_4 'found: 1 finding'
        uv condvar_3 'safe: all 2 executions' --max-timeouts 0
        uv condvar_4 'safe: all 2 executions' --max-timeouts 0
        for test in threadpool_queue_work_simple threadpool_cancel_work; do uv "$test" 'nothing found in 200 executions' --max-executions 200; done
    fi
else
    skip "libuv cannot be fetched"
fi

if fetch libmicrohttpd; then
    configure() {
        ./configure CC="$heddle cc" CFLAGS="-O1 -g" --disable-shared --disable-https --disable-doc --disable-examples --disable-curl --disable-nls &&
            quiet_make -C src/microhttpd -j2 && quiet_make -C src/microhttpd test_daemon
    }
    if build libmicrohttpd "$work/libmicrohttpd" configure; then
        # That the daemon is to end is said in a volatile variable.
        expect libmicrohttpd-race 'data-race' "$work/libmicrohttpd/src/microhttpd/test_daemon" --max-executions 20
        expect libmicrohttpd 'nothing found in [0-9]+ executions' "$work/libmicrohttpd/src/microhttpd/test_daemon" --races ignore --max-executions 100 --timeout 60s
    fi
else
    skip "libmicrohttpd cannot be fetched"
fi

if fetch pbzip2; then
    # It is no C++11, which clang insists on.
    if build pbzip2 "$work/pbzip2" env HEDDLE_CXX=g++ HEDDLE_CC=gcc make CXX="$heddle c++" CC="$heddle cc"; then
        expect pbzip2 'safe: all|nothing found' "$work/pbzip2/pbzip2" --max-executions 50 --timeout 60s -- -p2 -b1 -k -f -c "$work/input"
    fi
else
    skip "pbzip2 cannot be fetched"
fi

if fetch lbzip2; then
    # The name that its library of portable code looks for is gone from today's headers.
    configure() { ./configure CC="$heddle cc" CFLAGS="-O1 -g" && quiet_make CPPFLAGS=-D_IO_ftrylockfile; }
    if build lbzip2 "$work/lbzip2" configure; then
        expect lbzip2 'nothing found' "$work/lbzip2/src/lbzip2" --max-executions 20 --timeout 60s -- -n 2 -1 -c -k "$work/input"
    fi
else
    skip "lbzip2 cannot be fetched"
fi

say ""
cat "$work/table"
say ""
say "$passed as expected, $failed not, $skipped skipped; logs in $work"
[ "$failed" = 0 ]
