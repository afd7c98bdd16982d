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
# Whether one of these commands makes the program run, and tells where it stops.
moving = False
# The number of the user's breakpoint that the program has last stopped at. 0 if it was none.
hit = 0


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


def moves(function):
    """Marks a function that makes the program run and tells where it stops."""
    def wrapped(*arguments):
        global moving
        before, moving = moving, True
        try:
            return function(*arguments)
        finally:
            moving = before
    return wrapped


def is_runtime(frame):
    return (gdb.solib_name(frame.pc()) or "").endswith(RUNTIME)


def is_own(frame):
    """Whether a frame is in the program's own source."""
    place = frame.find_sal()
    file = place.symtab.fullname() if place.symtab else ""
    library = gdb.solib_name(frame.pc()) or ""
    return bool(file) and not file.startswith("/usr/") and "/include/c++/" not in file and not library.startswith(("/usr/", "/lib")) and not is_runtime(frame)


def outside():
    """The innermost frame of the program's own source, or else of the program."""
    frame, second = gdb.newest_frame(), None
    while frame is not None:
        if is_own(frame):
            return frame
        if not is_runtime(frame):
            second = second or frame
        frame = older(frame)
    return second or gdb.newest_frame()


def older(frame):
    try:
        return frame.older()
    except gdb.error:
        return None


class OwnFrames:
    """Backtraces have the frames of the program's own source. `bt -no-filters` has all."""

    def __init__(self):
        self.name, self.priority, self.enabled = "heddle", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        others, some = [], False
        for frame in frames:
            if is_own(frame.inferior_frame()):
                some = True
                yield frame
            elif not some and len(others) < 100:
                others.append(frame)
        if not some:
            yield from others


@moves
def leave():
    """Lets the running thread return from libraries and the runtime to the program's own source. False if it stopped before."""
    restore()
    if gdb.selected_inferior().pid == 0:
        print("the program has ended")
        return False
    own, inner = gdb.newest_frame(), None
    while own is not None and not is_own(own):
        own, inner = older(own), own
    if is_stopped() and debug()["phase"] == 2:
        arrive(True)
        return False
    if own is None:
        raise gdb.GdbError("%s is not in its function: `heddle next` goes on" % label(debug()["thread"]))
    if inner is None:
        return True
    stop = gdb.FinishBreakpoint(inner, internal=True)
    stop.silent = True
    gdb.execute("continue", to_string=True)
    if stop.is_valid():
        stop.delete()
    if gdb.selected_inferior().pid == 0 or is_stopped():
        # The thread waits, and others have come to the end.
        arrive(True)
        return False
    return not at_breakpoint()


def at_breakpoint():
    """Whether the program has stopped at a breakpoint of the user's, which is told."""
    if hit:
        print("Breakpoint %d" % hit)
        gdb.execute("frame")
    return hit != 0


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


@moves
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
    if is_own(gdb.selected_frame()):
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
heddle where          which step this is
heddle help           this list"""

    def __init__(self):
        super().__init__("heddle", gdb.COMMAND_USER, gdb.COMPLETE_NONE, True)


class Command(gdb.Command):
    def __init__(self, name, function):
        self.__doc__ = function.__doc__
        self.function = function
        super().__init__("heddle " + name, gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        self.function(argument)


def quietly(command):
    """Runs a command that makes the program run, and prints nothing. gdb before 12 tells where it stops all the same."""
    try:
        gdb.execute("set suppress-cli-notifications on", to_string=True)
    except gdb.error:
        gdb.execute(command, to_string=True)
        return
    try:
        gdb.execute(command, to_string=True)
    finally:
        gdb.execute("set suppress-cli-notifications off", to_string=True)


class Line(gdb.Command):
    """To another line of the program's own source. What libraries do is one step.

gdb's own command would step through the runtime, where a thread stands after each of its operations."""

    def __init__(self, name, command):
        self.command = command
        super().__init__(name, gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        for _ in range(int(gdb.parse_and_eval(argument)) if argument.strip() else 1):
            if not self.once():
                return

    @moves
    def once(self):
        """One line. False if the program has stopped for another reason."""
        restore()
        own = outside()
        line, function = own.find_sal().line, own.name()
        came = leave()
        for _ in range(100000):
            if not came:
                return False
            frame = gdb.newest_frame()
            sal = gdb.find_pc_line(frame.pc())
            if sal.pc == frame.pc() and (sal.line != line or frame.name() != function):
                gdb.execute("frame")
                return True
            quietly(self.command)
            if at_breakpoint():
                return False
            came = leave()
        return False


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
    outcome = trace["end"]["outcome"]
    ender = trace["end"]["thread"] if state["phase"] == 2 and isinstance(outcome, dict) and "ended" in outcome else None
    begun = {0} | {step["thread"] for step in steps[:taken]}
    for thread in sorted(begun | {step["creates"] for step in steps[:taken] if step.get("creates") is not None}):
        coming = next_of(thread, taken)
        if thread == ender:
            print("%s has ended the process" % label(thread))
        elif coming is None:
            print("%s has ended" % label(thread))
            continue
        if thread not in begun:
            print("%s, next: begin" % label(thread))
            continue
        doing = ("is blocked: " if thread in blocked else "next: ") + words(coming) if coming else None
        if doing:
            print("%s, %s%s" % (label(thread), doing, ", holds " + ", ".join(held[thread]) if thread in held else ""))
        view(thread)
        frame, level = outside(), 0
        while frame is not None and level < 20:
            if is_own(frame):
                place = frame.find_sal()
                print("    #%d %s %s:%d" % (level, frame.name() or "?", place.symtab.filename, place.line))
                level += 1
            frame = older(frame)
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


def help_command(argument):
    """This list."""
    print(Heddle.__doc__)


def restore_command(argument):
    """Puts the running thread's registers back. Done by itself before the program goes on."""
    restore()


Heddle()
for name, function in [("next", next_command), ("back", back_command), ("goto", goto_command), ("threads", threads_command),
                       ("thread", thread_command), ("locks", locks_command), ("why", why_command), ("where", where_command),
                       ("help", help_command), ("restore", restore_command)]:
    Command(name, function)
for command in ["continue", "stepi", "nexti", "finish", "until", "advance", "jump", "run", "detach"]:
    gdb.execute("define hook-%s\nheddle restore\nend" % command, to_string=True)
Line("next", "nexti")
Line("step", "stepi")
OwnFrames()
stops = None


def loaded(event):
    """The breakpoint waits until the runtime is there: gdb would say that it does not know the function."""
    global stops
    if stops is None and event.new_objfile.filename.endswith(RUNTIME):
        stops = gdb.Breakpoint("heddle_debug_stop", internal=True)
        stops.silent = True


def stopped(event):
    """The program has come to a stop of Heddle's by a command of gdb's own, such as `next` across the end of the execution."""
    global hit
    try:
        hit = max(0, event.breakpoints[0].number) if isinstance(event, gdb.BreakpointEvent) else 0
    except RuntimeError:
        # It was temporary, and is gone.
        hit = 0
    if not moving and is_stopped():
        arrive(True)


gdb.events.new_objfile.connect(loaded)
gdb.events.stop.connect(stopped)
