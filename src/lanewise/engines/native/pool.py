"""One loop on several cores without Python in between: helpers that wait in machine code.

The ufunc of a large loop has `spread` in its place: it cuts the work into parts, the caller takes them from the
front and helpers from the back (so that each core mostly meets what it has in its cache from the time before), and
returns when all are done. A helper that has done its work looks for more for a little while before it sleeps, since
waking a thread takes as long as a loop over a hundred thousand elements. Nobody waits for one that has not come.

Who may take which part stands in one word, so that one atomic addition hands out a part and says what it is of:
bits 0 to 14 count the parts taken from the front, 15 to 29 those from the back, 30 to 43 are the number of parts,
and the rest counts the works. As long as a part is not done its work stays as it is; whoever gets no part touches
nothing.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import platform
import sys
import threading

from lanewise.engines.native import target
from lanewise.engines.native.threads import get_threads, on_change

FUTEX = {"x86_64": 202, "aarch64": 98}  # the number of Linux' system call
PAUSE = {
    "x86_64": ("llvm.x86.sse2.pause", ""),
    "aarch64": ("llvm.aarch64.hint", "i32 1"),
}  # tells the core that it waits
PATIENCE = 4_000  # looks for more work before a helper sleeps: some tenths of a millisecond
MOST_PARTS = 1 << 12
MOST_ARRAYS = 64  # of a ufunc

# Words of `pool`, eight to a cache line.
STATE, SIGNAL, DONE, BUSY, WORK = 0, 8, 16, 24, 32
SLEEPERS, STOPPED, HELPERS, CALLER, PROCESS = SIGNAL + 1, BUSY + 1, BUSY + 2, BUSY + 3, BUSY + 4
LOOP, ARRAYS, STEPS, DATA, COUNT, PART, NUMBER = range(WORK, WORK + 7)
MASK_WORDS = 16  # of a set of processors, a bit each
WORDS = 64

# What a loop finds behind its data pointer: see `Ufunc`.
FAILURES, STREAM_FROM, LOOP_OF, NUMBER_OF, ITEM, LEAST, OWN = range(7)

TEXT = """
@pool = global [{WORDS} x i64] zeroinitializer, align 64

declare i64 @syscall(i64, ...)
declare i32 @sched_yield()
declare i32 @sched_getcpu()
declare i32 @sched_getaffinity(i32, i64, ptr)
declare i32 @sched_setaffinity(i32, i64, ptr)
declare void @{PAUSE}({PAUSE_TYPE})
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; Parts of the work at hand, from one side, until there are none left. %unit: 1 (the front) or 32768 (the back).
define void @drain(i64 %unit) {{
entry:
  %arrays = alloca [{MOST_ARRAYS} x ptr]
  %dims = alloca i64
  %front_side = icmp eq i64 %unit, 1
  br label %next
next:
  %ticket = atomicrmw add ptr @pool, i64 %unit acq_rel
  %front = and i64 %ticket, 32767
  %shifted = lshr i64 %ticket, 15
  %back = and i64 %shifted, 32767
  %high = lshr i64 %ticket, 30
  %parts = and i64 %high, 16383
  %taken = add i64 %front, %back
  %some = icmp ult i64 %taken, %parts
  br i1 %some, label %part, label %out
part:
  %last = sub i64 %parts, 1
  %from_back = sub i64 %last, %back
  %which = select i1 %front_side, i64 %front, i64 %from_back
  %loop = load ptr, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {LOOP})
  %given = load ptr, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {ARRAYS})
  %steps = load ptr, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {STEPS})
  %data = load ptr, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {DATA})
  %count = load i64, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {COUNT})
  %size = load i64, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {PART})
  %number = load i64, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {NUMBER})
  %start = mul i64 %which, %size
  %left = sub i64 %count, %start
  %short = icmp ult i64 %left, %size
  %own = select i1 %short, i64 %left, i64 %size
  store i64 %own, ptr %dims
  br label %move
move:
  %k = phi i64 [ 0, %part ], [ %after, %move ]
  %from = getelementptr ptr, ptr %given, i64 %k
  %base = load ptr, ptr %from
  %step_at = getelementptr i64, ptr %steps, i64 %k
  %step = load i64, ptr %step_at
  %offset = mul i64 %step, %start
  %place = getelementptr i8, ptr %base, i64 %offset
  %to = getelementptr ptr, ptr %arrays, i64 %k
  store ptr %place, ptr %to
  %after = add i64 %k, 1
  %more = icmp ult i64 %after, %number
  br i1 %more, label %move, label %run
run:
  call void %loop(ptr %arrays, ptr %dims, ptr %steps, ptr %data)
  %done = atomicrmw add ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {DONE}), i64 1 release
  br label %next
out:
  ret void
}}

; Off the caller's processor, onto any other that the process may use now, where it is as free as before. Some kernels
; wake a thread where its waker runs, and leave it there for milliseconds although another processor is idle.
define void @part_ways() {{
entry:
  %bits = alloca [{MASK_WORDS} x i64]
  %mine = call i32 @sched_getcpu()
  %here = sext i32 %mine to i64
  %theirs = load atomic i64, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {CALLER}) monotonic, align 8
  %together = icmp eq i64 %here, %theirs
  %known = icmp ult i64 %theirs, {CPUS}
  %should = and i1 %known, %together
  br i1 %should, label %ask, label %out
ask:
  call void @llvm.memset.p0.i64(ptr %bits, i8 0, i64 {MASK_BYTES}, i1 false)
  %process = load i64, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {PROCESS})
  %id = trunc i64 %process to i32
  %answer = call i32 @sched_getaffinity(i32 %id, i64 {MASK_BYTES}, ptr %bits)
  %answered = icmp eq i32 %answer, 0
  br i1 %answered, label %move, label %out
move:
  %word = lshr i64 %theirs, 6
  %place = and i64 %theirs, 63
  %bit = shl i64 1, %place
  %but = xor i64 %bit, -1
  %at = getelementptr i64, ptr %bits, i64 %word
  %old = load i64, ptr %at
  %new = and i64 %old, %but
  store i64 %new, ptr %at
  %moved = call i32 @sched_setaffinity(i32 0, i64 {MASK_BYTES}, ptr %bits)
  store i64 %old, ptr %at
  %freed = call i32 @sched_setaffinity(i32 0, i64 {MASK_BYTES}, ptr %bits)
  br label %out
out:
  ret void
}}

; The life of a helper: looks for work, then sleeps until there is some; ends when it is told to.
define void @serve() {{
entry:
  %signal_at = getelementptr [{WORDS} x i64], ptr @pool, i64 0, i64 {SIGNAL}
  %sleepers_at = getelementptr [{WORDS} x i64], ptr @pool, i64 0, i64 {SLEEPERS}
  %stopped_at = getelementptr [{WORDS} x i64], ptr @pool, i64 0, i64 {STOPPED}
  br label %fresh
fresh:
  %seen = phi i32 [ 0, %entry ], [ %now, %work ], [ %seen, %wake ]
  br label %look
look:
  %tries = phi i64 [ 0, %fresh ], [ %tried, %pause ]
  %now = load atomic i32, ptr %signal_at seq_cst, align 8
  %stop = load atomic i64, ptr %stopped_at seq_cst, align 8
  %stopping = icmp ne i64 %stop, 0
  br i1 %stopping, label %out, label %compare
compare:
  %same = icmp eq i32 %now, %seen
  br i1 %same, label %pause, label %work
work:
  call void @part_ways()
  call void @drain(i64 32768)
  br label %fresh
pause:
  call void @{PAUSE}({PAUSE_VALUE})
  %tried = add i64 %tries, 1
  %tired = icmp uge i64 %tried, {PATIENCE}
  br i1 %tired, label %sleep, label %look
sleep:
  %before = atomicrmw add ptr %sleepers_at, i64 1 seq_cst
  %signal = load atomic i32, ptr %signal_at seq_cst, align 8
  %still = icmp eq i32 %signal, %seen
  br i1 %still, label %wait, label %wake
wait:
  %slept = call i64 (i64, ...) @syscall(i64 {FUTEX}, ptr %signal_at, i64 128, i32 %seen, ptr null)
  br label %wake
wake:
  %risen = atomicrmw sub ptr %sleepers_at, i64 1 seq_cst
  br label %fresh
out:
  ret void
}}

; A loop like any other, which has others do parts of it. One work at a time; who comes second does it alone.
define void @spread(ptr %arrays, ptr %dims, ptr %steps, ptr %data) {{
entry:
  %failures_at = getelementptr i64, ptr %data, i64 {FAILURES}
  %loop_at = getelementptr i64, ptr %data, i64 {LOOP_OF}
  %loop = load ptr, ptr %loop_at
  %count = load i64, ptr %dims
  %least_at = getelementptr i64, ptr %data, i64 {LEAST}
  %least = load i64, ptr %least_at
  %helpers = load atomic i64, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {HELPERS}) monotonic, align 8
  %long = icmp sge i64 %count, %least
  %helped = icmp sgt i64 %helpers, 0
  %worth = and i1 %long, %helped
  br i1 %worth, label %claim, label %alone
claim:
  %pair = cmpxchg ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {BUSY}), i64 0, i64 1 acquire monotonic
  %claimed = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %claimed, label %share, label %alone
alone:
  call void %loop(ptr %arrays, ptr %dims, ptr %steps, ptr %data)
  ret void
share:
  ; Parts are as long for everyone, and end where vectors and lines do.
  %threads = add i64 %helpers, 1
  %wanted = mul i64 %threads, 4
  %many = icmp ugt i64 %wanted, {MOST_PARTS}
  %pieces = select i1 %many, i64 {MOST_PARTS}, i64 %wanted
  %each = udiv i64 %count, %pieces
  %up = add i64 %each, 4096
  %part = and i64 %up, -4096
  %over = add i64 %count, %part
  %last = sub i64 %over, 1
  %parts = udiv i64 %last, %part
  %single = icmp ult i64 %parts, 2
  br i1 %single, label %keep, label %offer_parts
keep:
  store atomic i64 0, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {BUSY}) release, align 8
  br label %alone
offer_parts:
  ; The whole result decides whether parts are written past the cache; their failures are counted apart.
  %item_at = getelementptr i64, ptr %data, i64 {ITEM}
  %item = load i64, ptr %item_at
  %bytes = mul i64 %item, %count
  %stream_at = getelementptr i64, ptr %data, i64 {STREAM_FROM}
  %stream_from = load i64, ptr %stream_at
  %streams = icmp sge i64 %bytes, %stream_from
  %own_from = select i1 %streams, i64 0, i64 9223372036854775807
  %own = getelementptr i64, ptr %data, i64 {OWN}
  %own_stream_at = getelementptr i64, ptr %own, i64 {STREAM_FROM}
  store i64 0, ptr %own
  store i64 %own_from, ptr %own_stream_at
  store ptr %loop, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {LOOP})
  store ptr %arrays, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {ARRAYS})
  store ptr %steps, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {STEPS})
  store ptr %own, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {DATA})
  store i64 %count, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {COUNT})
  store i64 %part, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {PART})
  %number_at = getelementptr i64, ptr %data, i64 {NUMBER_OF}
  %number = load i64, ptr %number_at
  store i64 %number, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {NUMBER})
  store atomic i64 0, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {DONE}) monotonic, align 8
  %processor = call i32 @sched_getcpu()
  %caller = sext i32 %processor to i64
  store atomic i64 %caller, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {CALLER}) monotonic, align 8
  %state = load atomic i64, ptr @pool monotonic, align 8
  %old = lshr i64 %state, 44
  %new = add i64 %old, 1
  %era = shl i64 %new, 44
  %total = shl i64 %parts, 30
  %offer = or i64 %era, %total
  store atomic i64 %offer, ptr @pool release, align 8
  %signal_at = getelementptr [{WORDS} x i64], ptr @pool, i64 0, i64 {SIGNAL}
  %signalled = atomicrmw add ptr %signal_at, i32 1 seq_cst
  %sleepers = load atomic i64, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {SLEEPERS}) seq_cst, align 8
  %asleep = icmp sgt i64 %sleepers, 0
  br i1 %asleep, label %call, label %help
call:
  %others = sub i64 %parts, 1
  %fewer = icmp ult i64 %sleepers, %others
  %wanted_up = select i1 %fewer, i64 %sleepers, i64 %others
  %woken = call i64 (i64, ...) @syscall(i64 {FUTEX}, ptr %signal_at, i64 129, i64 %wanted_up)
  br label %help
help:
  call void @drain(i64 1)
  br label %look
look:
  %tries = phi i64 [ 0, %help ], [ %tried, %pause ], [ 0, %give_way ]
  %done = load atomic i64, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {DONE}) acquire, align 8
  %all = icmp eq i64 %done, %parts
  br i1 %all, label %end, label %wait
wait:
  %tried = add i64 %tries, 1
  %tired = icmp uge i64 %tried, {PATIENCE}
  br i1 %tired, label %give_way, label %pause
pause:
  call void @{PAUSE}({PAUSE_VALUE})
  br label %look
give_way:
  %yielded = call i32 @sched_yield()
  br label %look
end:
  %failed = load i64, ptr %own
  %before = atomicrmw add ptr %failures_at, i64 %failed monotonic
  store atomic i64 0, ptr getelementptr ([{WORDS} x i64], ptr @pool, i64 0, i64 {BUSY}) release, align 8
  ret void
}}
"""


class Pool:
    """The compiled text, its memory, and the threads that help."""

    def __init__(self) -> None:
        machine = platform.machine()
        names = {name: value for name, value in globals().items() if name.isupper() and isinstance(value, int)}
        pause, value = PAUSE[machine]
        words = {"PAUSE": pause, "PAUSE_VALUE": value, "PAUSE_TYPE": value.partition(" ")[0], "FUTEX": FUTEX[machine]}
        words |= {"MASK_BYTES": 8 * MASK_WORDS, "CPUS": 64 * MASK_WORDS}
        text = TEXT.format_map(names | words)
        self._code = target.Compiled(text, "spread", target.host_features())
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._code))  # helpers may outlive whatever the interpreter clears
        self.address = self._code.address
        self._serve = ctypes.CFUNCTYPE(None)(self._code.address_of("serve"))
        self._memory = (ctypes.c_int64 * WORDS).from_address(self._code.address_of_data("pool"))
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self.closed = False
        self.count = 1  # threads, the caller's with them
        on_change.append(self._resize)

    def _resize(self, count: int) -> None:
        """What `set_threads` wants, if helpers were ever needed."""
        if self.count > 1:
            self.use(count)

    def use(self, count: int) -> None:
        """From now on so many threads share large work.

        Whoever comes here while another call is at it, be it from a signal's handler, goes on with what there is.
        """
        if self.closed or not self._lock.acquire(blocking=False):
            return
        try:
            if count == self.count:
                return
            self._dismiss()
            self._memory[STOPPED] = 0
            self._memory[PROCESS] = os.getpid()
            for _ in range(count - 1):
                thread = threading.Thread(target=self._serve, name="lanewise", daemon=True)
                self._threads.append(thread)
                try:
                    thread.start()
                except RuntimeError:  # no more threads, or the interpreter is shutting down
                    self._threads.pop()
                    break
            self._memory[HELPERS] = len(self._threads)
            self.count = count
        finally:
            self._lock.release()

    def taken(self) -> tuple[int, int]:
        """How many times a part of the latest work was asked for, from the front and from the back."""
        state = self._memory[STATE]
        return state & 32767, state >> 15 & 32767

    def _dismiss(self) -> None:
        self.count = 0  # whatever interrupts what follows: the next call begins anew
        self._memory[HELPERS] = 0
        self._memory[STOPPED] = 1
        self._memory[SIGNAL] += 1  # else one that is about to sleep would
        signal = self._code.address_of_data("pool") + 8 * SIGNAL
        ctypes.CDLL(None).syscall(FUTEX[platform.machine()], ctypes.c_void_p(signal), 129, 2147483647)
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()
        self._threads.clear()

    def end(self) -> None:
        """No helper is left, and none will be: who starts a thread while the interpreter ends waits for it in vain."""
        self.closed = True
        with self._lock:
            self._dismiss()

    def forget(self) -> None:
        """A forked child has none of its parent's threads, and nobody who will finish what one of them had begun."""
        self._lock = threading.Lock()
        self._threads = []
        self.count = 1
        ctypes.memset(self._memory, 0, 8 * WORDS)


_pool: Pool | None = None
_lock = threading.RLock()  # the handler of a signal may call what it has interrupted


def pool() -> Pool | None:
    """The process's pool; None where the system has no way to wait that it is written for."""
    global _pool
    if _pool is None and sys.platform == "linux" and platform.machine() in FUTEX and sys.maxsize > 1 << 32:
        with _lock:
            if _pool is None:
                made = Pool()
                if _pool is None:
                    _pool = made
                    atexit.register(made.end)
    return _pool


def ready() -> Pool | None:
    """The pool with as many threads as are set; None where there is none."""
    found = pool()
    if found is not None and found.count != (count := get_threads()):
        found.use(count)
    return found


def _forget() -> None:
    global _lock
    _lock = threading.RLock()
    if _pool is not None:
        _pool.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
