# Commands for gdb: walks through a replayed execution, and shows the threads of the program.
#
# The program's threads are fibers on one kernel thread, so gdb knows of one. The runtime tells where the others are
# (crates/runtime/src/record/debug.rs): to look at one, its saved registers are put in place of the real ones, and taken back
# before the program goes on. Going back means to run the program again, up to an earlier step: it does the same each time.

import json
import os
import re

import gdb

with open(os.path.join(heddle_directory, "trace.json"), encoding="utf-8") as file:
    trace = json.load(file)
steps, last = trace["steps"], trace.get("last", [])
ALL = len(steps)
END = 0xFFFFFFFF
RUNTIME = "libheddle_runtime.so"
REGISTERS = ["rsp", "rip", "rbp", "rbx", "r12", "r13", "r14", "r15", "fs_base"]
# The registers of the thread that is really running, while those of another are in their place; and whose those are.
real = None
shown = None


def label(thread):
    name = trace.get("threads", {}).get(str(thread), "")
    return "thread %d (%s)" % (thread, name) if name else "thread %d" % thread


def words(step):
    text = " ".join(part for part in (step["words"]["operation"], step.get("object", ""), step["words"]["result"]) if part)
    at = step.get("at")
    return text + (" at %s:%d" % (at["file"], at["line"]) if at and at.get("file") else "")


def memory(address, count):
    return [int.from_bytes(gdb.selected_inferior().read_memory(address + 8 * i, 8).tobytes(), "little") for i in range(count)]


def address(symbol):
    """Where something of the runtime is, whatever language the program is in."""
    text = gdb.execute("info address " + symbol, to_string=True)
    found = re.search(r"0x[0-9a-f]+", text)
    if not found:
        raise gdb.GdbError("the program runs without heddle's runtime: %s" % text.strip())
    return int(found.group(), 16)


def debug():
    """What the runtime tells: (stop_at and taken, thread and phase, threads, contexts, stride)."""
    if gdb.selected_inferior().pid == 0:
        raise gdb.GdbError("the program is not running: `heddle goto STEP` starts it")
    at = address("heddle_debug")
    first, second, threads, contexts, stride = memory(at, 5)
    return {"at": at, "taken": first >> 32, "thread": second & 0xFFFFFFFF, "phase": second >> 32,
            "threads": threads, "contexts": contexts, "stride": stride}


def register(name):
    return int(gdb.newest_frame().read_register(name)) & (1 << 64) - 1


def put(values):
    # Numbers beyond the signed ones are written differently in each language, these are not.
    for name, value in values.items():
        gdb.newest_frame().select()
        gdb.set_convenience_variable("heddle_value", value)
        gdb.execute("set var $%s = $heddle_value" % name, to_string=True)


def restore():
    """Puts the registers of the running thread back."""
    global real, shown
    if real is not None:
        put(real)
    real, shown = None, None


def saved(state, thread):
    stack, pointer = memory(state["contexts"] + thread * state["stride"], 2)
    # What a switch pops: control words, r15, r14, r13, r12, rbx, rbp, return address.
    _, r15, r14, r13, r12, rbx, rbp, rip = memory(stack, 8)
    return {"rsp": stack + 64, "rip": rip, "rbp": rbp, "rbx": rbx, "r12": r12, "r13": r13, "r14": r14, "r15": r15, "fs_base": pointer}


def view(thread):
    """Looks at a thread: its registers are there until the program goes on."""
    global real, shown
    restore()
    state = debug()
    if thread >= state["threads"] or thread < 0:
        raise gdb.GdbError("there is no thread %d" % thread)
    if thread != state["thread"]:
        real = {name: register(name) for name in REGISTERS}
        put(saved(state, thread))
    shown = thread
    outside().select()


def outside():
    """The innermost frame of the program's own source, or else of the program."""
    frame, second = gdb.newest_frame(), None
    while frame is not None:
        place = frame.find_sal()
        file = place.symtab.fullname() if place.symtab else ""
        objfile = gdb.solib_name(frame.pc()) or ""
        if not objfile.endswith(RUNTIME):
            second = second or frame
            if file and not file.startswith("/usr/") and "/include/c++/" not in file and not objfile:
                return frame
        frame = frame.older()
    return second or gdb.newest_frame()


def holds_after(taken):
    held = {}
    for step in steps[:taken]:
        if step.get("holds") is not None:
            held[step["thread"]] = step["holds"]
    return {thread: names for thread, names in held.items() if names}


def blocked_after(taken):
    blocked = set()
    for step in steps[:taken]:
        blocked |= set(step.get("blocks", []))
        blocked -= set(step.get("frees", []))
    if taken >= ALL:
        blocked |= {step["thread"] for step in last if step.get("waits")}
    return blocked


def next_of(thread, taken):
    return next((step for step in steps[taken:] + last if step["thread"] == thread), None)


def is_stopped():
    try:
        return (gdb.newest_frame().name() or "").endswith("heddle_debug_stop")
    except gdb.error:
        return False


def advance(to):
    """Lets the program go on to the state after `to` steps. False if it stopped before."""
    state = debug()
    restore()
    gdb.selected_inferior().write_memory(state["at"], to.to_bytes(4, "little"))
    gdb.execute("continue", to_string=True)
    return is_stopped()


def goto(to):
    """To the state after `to` steps; from the beginning, if that is in the past."""
    restore()
    if gdb.selected_inferior().pid != 0 and is_stopped():
        state = debug()
        if state["phase"] < 2 and state["taken"] < to:
            return arrive(advance(to if to < ALL else END))
        if state["taken"] == to and to < ALL:
            return arrive(True)
    gdb.execute("run", to_string=True)
    if not is_stopped():
        return arrive(False)
    return arrive(advance(to if to < ALL else END) if to > 0 else True)


def failing():
    """The thread that the finding is about."""
    finding = trace["finding"]
    if trace["end"]["outcome"] == "deadlock":
        for thread in finding["threads"]:
            if finding.get("location") and thread.get("at") == finding["location"]:
                return thread["id"]
    return trace["end"]["thread"]


def arrive(as_asked):
    if gdb.selected_inferior().pid == 0:
        print("the program has ended")
        return
    if not as_asked:
        # A breakpoint of the user's, or a signal: gdb shows where.
        outside().select() if not is_stopped() else None
        print("stopped before the step that was asked for")
        gdb.execute("frame")
        return
    state = debug()
    taken = state["taken"]
    at_end = state["phase"] == 2
    thread = failing() if at_end else state["thread"]
    view(thread)
    position(taken, at_end)
    gdb.execute("frame")


def position(taken, at_end):
    if at_end:
        print("the end, after %d steps: %s: %s" % (ALL, trace["finding"]["kind"], trace["finding"]["message"]))
    elif taken == 0:
        print("before the first of %d steps" % ALL)
    else:
        step = steps[taken - 1]
        print("step %d of %d: %s: %s" % (taken, ALL, label(step["thread"]), words(step)))


class Heddle(gdb.Command):
    """Walks through a replayed execution.

heddle next [N]       N steps forward
heddle back [N]       N steps back: the program runs again, up to there
heddle goto STEP|end  to the state after that step
heddle threads        all threads with backtraces, what they hold and wait for
heddle thread N [COMMAND]  looks at a thread (bt, frame, print work), or runs one command there
heddle locks          who holds what, who waits for what
heddle why            what the last step follows from
heddle where          which step this is"""

    def __init__(self):
        super().__init__("heddle", gdb.COMMAND_USER, gdb.COMPLETE_NONE, True)


class Command(gdb.Command):
    def __init__(self, name, function):
        self.__doc__ = function.__doc__
        self.function = function
        super().__init__("heddle " + name, gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        self.function(argument)


def number(text, otherwise):
    if not text.strip():
        return otherwise
    try:
        return int(text)
    except ValueError:
        raise gdb.GdbError("`%s` is not a number" % text)


def next_command(argument):
    """N steps forward."""
    goto(min(ALL, debug()["taken"] + number(argument, 1)))


def back_command(argument):
    """N steps back: the program runs again, up to there."""
    state = debug()
    goto(max(0, state["taken"] - number(argument, 1)))


def goto_command(argument):
    """To the state after a step, or to the end."""
    step = ALL if argument.strip() == "end" else number(argument, ALL)
    if not 0 <= step <= ALL:
        raise gdb.GdbError("steps are from 0 to %d" % ALL)
    goto(step)


def threads_command(argument):
    """All threads with backtraces, what they hold and wait for."""
    before = shown
    state = debug()
    taken = state["taken"]
    held, blocked = holds_after(taken), blocked_after(taken)
    begun = {0} | {step["thread"] for step in steps[:taken]}
    for thread in sorted(begun):
        coming = next_of(thread, taken)
        if coming is None:
            print("%s has ended" % label(thread))
            continue
        doing = "runs" if thread == state["thread"] and not (state["phase"] == 2 and thread in blocked) else ("is blocked: " if thread in blocked else "next: ") + words(coming)
        print("%s, %s%s" % (label(thread), doing, ", holds " + ", ".join(held[thread]) if thread in held else ""))
        view(thread)
        frame, level = outside(), 0
        while frame is not None and level < 20:
            place = frame.find_sal()
            where = "%s:%d" % (place.symtab.filename, place.line) if place.symtab else (gdb.solib_name(frame.pc()) or "")
            library = os.path.basename(gdb.solib_name(frame.pc()) or "")
            if library not in (RUNTIME, "libc.so.6") and (place.symtab or level == 0):
                print("    #%d %s %s" % (level, frame.name() or "?", where))
                level += 1
            try:
                frame = frame.older()
            except gdb.error:
                frame = None
    view(before if before is not None else state["thread"])


def thread_command(argument):
    """Looks at a thread, or runs one command there."""
    parts = argument.split(None, 1)
    if not parts:
        raise gdb.GdbError("which thread? `heddle threads` lists them")
    before = shown
    view(number(parts[0], 0))
    if len(parts) == 1:
        gdb.execute("frame")
        return
    try:
        gdb.execute(parts[1])
    finally:
        view(before if before is not None else debug()["thread"])


def locks_command(argument):
    """Who holds what, who waits for what."""
    taken = debug()["taken"]
    held, blocked = holds_after(taken), blocked_after(taken)
    for thread in sorted(held):
        print("%s holds %s" % (label(thread), ", ".join(held[thread])))
    for thread in sorted(blocked):
        coming = next_of(thread, taken)
        print("%s is blocked%s" % (label(thread), ": " + words(coming) if coming else ""))
    if not held and not blocked:
        print("nothing is held, and nobody waits")


def why_command(argument):
    """What the last step follows from; at the end, what the finding is."""
    state = debug()
    taken = state["taken"]
    if state["phase"] == 2:
        print("%s: %s" % (trace["finding"]["kind"], trace["finding"]["message"]))
        for note in trace["finding"].get("notes", []):
            at = note.get("location")
            print("  %s%s" % (note["message"], " (%s:%d)" % (at["file"], at["line"]) if at else ""))
    if 0 < taken <= ALL:
        causes = steps[taken - 1].get("after", [])
        for cause in causes:
            print("step %d follows from step %d: %s: %s" % (taken, cause + 1, label(steps[cause]["thread"]), words(steps[cause])))
        if not causes:
            print("step %d follows only from what %s did before" % (taken, label(steps[taken - 1]["thread"])))


def where_command(argument):
    """Which step this is."""
    state = debug()
    position(state["taken"], state["phase"] == 2)


def restore_command(argument):
    """Puts the running thread's registers back. Done by itself before the program goes on."""
    restore()


Heddle()
for name, function in [("next", next_command), ("back", back_command), ("goto", goto_command), ("threads", threads_command),
                       ("thread", thread_command), ("locks", locks_command), ("why", why_command), ("where", where_command),
                       ("restore", restore_command)]:
    Command(name, function)
for command in ["continue", "step", "next", "stepi", "nexti", "finish", "until", "advance", "jump", "run", "detach"]:
    gdb.execute("define hook-%s\nheddle restore\nend" % command, to_string=True)
breakpoint = gdb.Breakpoint("heddle_debug_stop", internal=True)
breakpoint.silent = True
