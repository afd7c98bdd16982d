#!/usr/bin/env bash
# Programs that nobody wrote for Heddle: fetched as Debian source packages, built by their own build systems with `heddle cc`, and checked.
#
# debian.sh HEDDLE [DIRECTORY]. The sources come from where this machine's own packages come from: its deb entries are taken as
# deb-src entries, in lists of their own. What cannot be fetched is skipped, and said to be.
set -uo pipefail
heddle=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
work=${2:-$(mktemp -d)}
mkdir -p "$work"
work=$(realpath "$work")
export HEDDLE_CACHE=$work/cache HEDDLE_CC=${HEDDLE_CC:-gcc} HEDDLE_CXX=${HEDDLE_CXX:-g++}
# For builds that want one word.
ln -sf "$heddle" "$work/heddle-cc"
failed=0 skipped=0 passed=0

say() { printf '%s\n' "$*"; }
skip() { say "skipped: $*"; skipped=$((skipped + 1)); }

# --- Fetching ---------------------------------------------------------------------------------------------------

lists() {
    command -v apt-get >/dev/null && command -v dpkg-source >/dev/null || return 1
    mkdir -p "$work/apt/parts" "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
    local file
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -f "$file" ] && sed 's/^Types:.*/Types: deb-src/' "$file" >"$work/apt/parts/$(basename "$file")"
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

# fetch PACKAGE: its sources in $work/PACKAGE.
fetch() {
    [ -d "$work/$1" ] && return 0
    local place=$work/fetched/$1
    mkdir -p "$place"
    (cd "$place" && APT_CONFIG=$work/apt.conf timeout 180 apt-get source --download-only "$1" && dpkg-source --no-check -x ./*.dsc "$work/$1") \
        >"$work/fetch-$1.log" 2>&1 || { rm -rf "$work/${1:?}"; return 1; }
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
    local name=$1 pattern=$2 begin=$SECONDS said
    shift 2
    said=$("$heddle" check --no-progress --out "$work/out" "$@" 2>&1)
    printf '%s\n' "$said" >"$work/check-$name.log"
    if grep -qE "$pattern" <<<"$said"; then
        say "ok: $name: $(grep -E "^(safe|found|incomplete|unsupported)" <<<"$said" | tail -n 1) ($((SECONDS - begin)) s)"
        passed=$((passed + 1))
    else
        say "FAILED: $name: expected \`$pattern\`, see $work/check-$name.log"
        tail -n 5 <<<"$said"
        failed=$((failed + 1))
    fi
}

# No autotools are needed: what they would make is in the package.
quiet_make() { make AUTOMAKE=: AUTOCONF=: ACLOCAL=: AUTOHEADER=: "$@"; }

# --- The programs -----------------------------------------------------------------------------------------------

lists || { say "skipped: source packages cannot be fetched from here"; exit 0; }
head -c 2000 "$here/debian/ck.c" >"$work/input"

if fetch libzstd; then
    if build zstd-pool "$work/libzstd" make -C tests CC="$heddle cc" poolTests; then
        # The test itself destroys a mutex that it holds.
        expect zstd-pool-misuse 'found: 1 finding' "$work/libzstd/tests/poolTests" --max-executions 1
        expect zstd-pool 'nothing found in 20 executions' "$work/libzstd/tests/poolTests" --misuse off --max-executions 20
    fi
    if build zstd "$work/libzstd" make -C programs CC="$heddle cc" CFLAGS="-O1 -g" MOREFLAGS=-DBACKTRACE_ENABLE=0 zstd-nolegacy; then
        expect zstd 'nothing found in [0-9,]+ executions' "$work/libzstd/programs/zstd-nolegacy" --max-executions 20 --timeout 60s -- -T2 -q -c "$work/input"
    fi
else
    skip "zstd cannot be fetched"
fi

if fetch xz-utils; then
    configure() { ./configure CC="$heddle cc" --disable-shared --disable-nls --disable-doc && quiet_make -j2; }
    if build xz "$work/xz-utils" configure; then
        # Its checksums read whole vectors across the ends of buffers, on purpose.
        expect xz 'nothing found in [0-9,]+ executions' "$work/xz-utils/src/xz/xz" --memory off --max-executions 20 --timeout 60s -- -T2 --block-size=1000 -c -k "$work/input"
    fi
else
    skip "xz cannot be fetched"
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

if fetch pbzip2; then
    if build pbzip2 "$work/pbzip2" make CXX="$heddle c++" CC="$heddle cc"; then
        # Signals between threads.
        expect pbzip2 'unsupported: `(pthread_kill|sigwait)|nothing found' "$work/pbzip2/pbzip2" --max-executions 20 --timeout 60s -- -p2 -b1 -k -f -c "$work/input"
    fi
else
    skip "pbzip2 cannot be fetched"
fi

if fetch liburcu; then
    configure() { ./configure CC="$heddle cc" --disable-shared && quiet_make -j2; }
    # Its atomics are inline assembly, which is not seen: that it builds is all that is held.
    build liburcu "$work/liburcu" configure && { say "ok: liburcu builds"; passed=$((passed + 1)); }
else
    skip "liburcu cannot be fetched"
fi

say "$passed as expected, $failed not, $skipped skipped; logs in $work"
[ "$failed" = 0 ]
