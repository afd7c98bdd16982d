/* Overwrites all dead bytes of the frames on the stack and dead registers with garbage, at each call of `hook` and of the functions that
   instrumentation calls. Reads the table from the file $LIVENESS_TABLE; without it nothing is overwritten. $LIVENESS_SEED chooses the garbage. */
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct call { uint32_t at, base; int32_t distance, saved; uint32_t first, count, dead, counters; int32_t counts[2]; int32_t kept[5]; };
struct range { int32_t begin, end; };

static struct { char magic[8]; uint32_t calls, ranges; } header;
static struct call *calls;
static struct range *ranges;
static uint64_t bias, random_state = 1, frames, bytes, registers;
extern void *__libc_stack_end;

static int find_bias(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size, (void)data;
    bias = info->dlpi_addr;
    return 1;
}

static void finish(void) { fprintf(stderr, "garbled %lu bytes of %lu frames, %lu registers\n", bytes, frames, registers); }

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("LIVENESS_TABLE"), *seed = getenv("LIVENESS_SEED");
    if (!path) return;
    if (seed) random_state = strtoull(seed, 0, 10) | 1;
    FILE *file = fopen(path, "rb");
    if (!file || fread(&header, sizeof header, 1, file) != 1 || memcmp(header.magic, "heddle\0f", 8)) abort();
    calls = calloc(header.calls + 1, sizeof *calls);
    ranges = calloc(header.ranges + 1, sizeof *ranges);
    if (fread(calls, sizeof *calls, header.calls, file) != header.calls) abort();
    if (fread(ranges, sizeof *ranges, header.ranges, file) != header.ranges) abort();
    fclose(file);
    dl_iterate_phdr(find_bias, 0);
    atexit(finish);
}

static struct call *find(uint64_t at) {
    uint32_t low = 0, high = header.calls;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (calls[middle].at == at) return &calls[middle];
        if (calls[middle].at < at) low = middle + 1; else high = middle;
    }
    return 0;
}

/* Returns the registers that are to be overwritten, as bits. */
int garble(uint64_t return_address, uint64_t stack, uint64_t frame) {
    struct call *call;
    int dead = 0;
    uint64_t home[5] = { 0 }; /* Where the values of the registers are; 0 if they are still there. */
    while (header.calls && (call = find(return_address - bias))) {
        uint64_t end = (call->base ? frame : stack) + call->distance;
        if (end < stack || end > (uint64_t)__libc_stack_end) abort();
        for (uint32_t i = 0; i < call->count; i++) {
            struct range range = ranges[call->first + i];
            if (end + range.begin < stack || range.end > -8) abort();
            for (int32_t at = range.begin; at < range.end; at++) {
                random_state = random_state * 6364136223846793005u + 1442695040888963407u;
                *(uint8_t *)(end + at) = random_state >> 56;
            }
            bytes += range.end - range.begin;
        }
        for (int i = 0; i < 5; i++) {
            if (call->dead >> i & 1) {
                registers++;
                if (home[i]) *(uint64_t *)home[i] = random_state * 3; else dead |= 1 << i;
            }
            if (call->kept[i]) home[i] = end + call->kept[i];
        }
        frames++;
        return_address = *(uint64_t *)(end - 8);
        if (call->saved) frame = *(uint64_t *)(end + call->saved);
        stack = end;
    }
    return dead;
}

#define LOSE(bit, register) "test $" #bit ", %al\nje 1f\nmovabs $0x5a5a12345a5a5a5a, %" #register "\n1:\n"
/* Returns its first argument. */
__asm__(".text\n.globl hook\n.type hook, @function\nhook:\n.cfi_startproc\n"
        "push %rdi\n.cfi_adjust_cfa_offset 8\nmov 8(%rsp), %rdi\nlea 16(%rsp), %rsi\nmov %rbp, %rdx\ncall garble\n"
        LOSE(1, rbx) LOSE(2, r12) LOSE(4, r13) LOSE(8, r14) LOSE(16, r15) "pop %rax\n"
        ".cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n.size hook, .-hook\n");
#define ALIAS(name) __asm__(".globl __tsan_" #name "\n.set __tsan_" #name ", hook\n");
#define SIZES(name) ALIAS(name##1) ALIAS(name##2) ALIAS(name##4) ALIAS(name##8) ALIAS(name##16)
SIZES(read) SIZES(write) SIZES(volatile_read) SIZES(volatile_write) SIZES(unaligned_read) SIZES(unaligned_write)
SIZES(read_write) SIZES(unaligned_read_write) SIZES(unaligned_volatile_read) SIZES(unaligned_volatile_write)
ALIAS(init) ALIAS(func_entry) ALIAS(func_exit) ALIAS(read_range) ALIAS(write_range) ALIAS(vptr_update) ALIAS(vptr_read)
void *__tsan_memcpy(void *to, const void *from, size_t size) { return memcpy(to, from, size); }
void *__tsan_memset(void *to, int value, size_t size) { return memset(to, value, size); }
void *__tsan_memmove(void *to, const void *from, size_t size) { return memmove(to, from, size); }
