"""Does one thing that a bot should not do, or that costs a lot: `hostile.py ACT ...`, each act a function below.

Larger programs have files of their own. An act begins when the referee has said `hello`, unless it says so.
"""

import contextlib
import ctypes
import mmap
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from filler import play, requests, right, say, start
from wire import attempt, is_caged, may_write, name_of, only_in_a_cell, play_turns, report

MB = 1 << 20


def children(count):
    """Starts so many children. True in each of them, False in the parent."""
    return any(not os.fork() for _ in range(count))


# Processes


def forks_without_end():
    """Multiplies as fast as it can. Outside a cell it stops at two thousand, which any machine survives."""
    start()
    end = time.monotonic() + 60
    generations = 1000 if is_caged() else 11
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            generations -= generations > 0 and os.fork() >= 0
        if not generations:
            time.sleep(end - time.monotonic())


def starts_threads():
    """Starts threads until it may not, then plays."""
    start()
    with contextlib.suppress(RuntimeError):
        while True:
            threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
            report("holds", threading.active_count())
    report("refused", threading.active_count())
    play()


def leaves_much(processes, megabytes):
    """Plays with many processes beside it, each with memory of its own, all of which take their time to die."""
    only_in_a_cell()
    start()
    if children(int(processes)):
        kept = bytearray(int(megabytes) * MB)
        kept[::4096] = b"x" * len(kept[::4096])
        time.sleep(600)
    play()


def leaves_a_daemon():
    """A grandchild, in a session of its own where it may have one, holds the pipes; the bot plays and leaves."""
    if not os.fork():
        attempt("session", os.setsid)
        if not os.fork():
            time.sleep(600)
        os._exit(0)
    os.wait()
    start()
    play()


def hides_behind_a_child(seconds, program, *words):
    """Answers well while a child does what a program of this folder does. It thinks so long at its second request."""
    feed, into = os.pipe()
    os.write(into, b'{"type": "hello"}\n' + 40 * b'{"type": "request", "id": "x", "legal": [{"kind": "none"}]}\n')
    file = Path(__file__).with_name(f"{program}.py")
    subprocess.Popen([sys.executable, file, *words], stdin=feed, stdout=subprocess.DEVNULL)
    thinks_long(seconds)


def blocks_in_vfork(turns):
    """A child stays in vfork for good: what it starts waits for a writer that never comes. It passes all windows.

    Who calls vfork sleeps in the kernel until its child is another program, and so is never seen to stop.
    """
    name = f"/tmp/golf{os.getpid()}"
    os.mkfifo(name)
    fifo = os.open(name, os.O_PATH)
    os.unlink(name)
    if children(1):
        wait = (os.POSIX_SPAWN_OPEN, 99, f"/proc/self/fd/{fifo}", os.O_RDONLY, 0)
        os.posix_spawn(sys.executable, ["python"], {}, file_actions=[wait])
        os._exit(0)
    start()
    play_turns(int(turns))


def works_in_the_kernel(turns):
    """A child asks the kernel for memory again and again, which no signal interrupts. It passes all windows."""
    if children(1):
        while True:
            mmap.mmap(-1, 400 * MB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE).close()
    start()
    play_turns(int(turns))


# Memory and files


def honest_and_large(megabytes):
    """Plays, and holds so much memory; an honest bot may have large tables."""
    tables = bytearray(b"x" * (int(megabytes) * MB))
    start()
    play()
    return tables


def crowds_out(processes):
    """Fills the memory of a small host by processes of 8 MB, each smaller than its rival, all within its own bound."""
    start()
    for number in range(int(processes)):
        if children(1):
            kept = bytearray(b"x") * (8 * MB)
            while os.getppid() != 1:
                time.sleep(0.05)
            os._exit(len(kept) % 2)
        time.sleep(0.01)
        report("holds", 8 * (number + 1))
    play()


def fills_sockets(processes="1"):
    """Leaves data in sockets that nobody reads, in so many processes that are small themselves."""
    only_in_a_cell()
    start()
    is_child, kept, held = children(int(processes) - 1), [], 0
    try:
        while True:
            pair = socket.socketpair()
            kept.extend(pair)
            for one in pair:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MB)
                one.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    while True:
                        held += one.send(b"x" * 65536)
                report("holds", held // MB)
    except OSError as error:
        report("refused", name_of(error))
    if is_child:
        signal.pause()
    play()


def makes_files():
    """Makes empty files without number: they take no room in a file system, but memory of the kernel."""
    only_in_a_cell()
    start()
    number = 0
    try:
        while True:
            number += 1
            os.close(os.open(f"/tmp/{number}", os.O_CREAT | os.O_WRONLY))
    except OSError as error:
        report("refused", name_of(error))
    play()


def fills_folders():
    """Writes into every folder that it can, and says how many megabytes went where."""
    only_in_a_cell()
    start()
    for folder in ("/tmp", "/dev/shm", "/bot", "/", "/dev", "/usr", "/etc", "/proc"):
        written, why = 0, ""
        try:
            while written < 200:
                Path(folder, f"fill{written}").write_bytes(b"x" * MB)
                written += 1
        except OSError as error:
            why = f", {name_of(error)}"
        report(folder, f"{written} MB{why}")
    play()


# Signals


def signals_its_group(name):
    """Sends a signal to all of its process group and to the cell's first process; it ignores that signal itself."""
    only_in_a_cell()
    number = signal.Signals[name]
    if number not in {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    start()
    for count, request in enumerate(requests()):
        if count == 1:
            attempt("first", os.kill, 1, number)
            attempt("group", os.killpg, 0, number)
            attempt("all", os.kill, -1, number) if number != signal.SIGKILL else report("all", "spared")
        say(right(request))


def kills_its_rival():
    """Looks for the other bot of its match, which has the same mark in its environment, and kills it."""
    start()
    mark, found = f"GOLFREF_TEST={os.environ['GOLFREF_TEST']}".encode(), 0
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int(folder.name) != os.getpid() and mark in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(int(folder.name), signal.SIGKILL)
                found += 1
    report("rivals", found)
    play()


def dumps_core(lowers=""):
    """Leaves a core dump when it dies. `dumps_core lowers` would set the limit of dumps to 0 before.

    With 0 the kernel starts the host's program for dumps, as root.
    """
    start()
    libc = ctypes.CDLL(None, use_errno=True)
    none, any_size = (ctypes.c_uint64 * 2)(0, 0), (ctypes.c_uint64 * 2)(2**64 - 1, 2**64 - 1)
    for name, value in (("lower", none), ("raise", any_size)) if lowers else ():
        for call in ("setrlimit", "setrlimit64"):
            report(f"{name} by {call}", "done" if not getattr(libc, call)(resource.RLIMIT_CORE, value) else "refused")
        refused = libc.prlimit64(0, resource.RLIMIT_CORE, value, None)
        report(f"{name} by prlimit64", "refused" if refused else "done")
    for name, limit in (("core", "CORE"), ("real time", "RTPRIO"), ("nice", "NICE")):
        now = resource.getrlimit(getattr(resource, f"RLIMIT_{limit}"))[0]
        report(name, "unlimited" if now == resource.RLIM_INFINITY else now)
    for _ in requests():
        os.chdir("/tmp")
        os.kill(os.getpid(), signal.SIGQUIT)


# Cores


def thinks_long(seconds):
    """Thinks for most of a long time that it is allowed, without a sound; then plays."""
    start()
    for number, request in enumerate(requests()):
        time.sleep(float(seconds) if number == 1 else 0)
        say(right(request))


def computes(seconds, answers):
    """Computes so long for each of its first answers, and says by its own clock how long that was in microseconds."""
    start()
    for number, request in enumerate(requests()):
        before = time.process_time_ns()
        while number < int(answers) and time.process_time_ns() - before < float(seconds) * 1e9:
            pass
        report("computed", (time.process_time_ns() - before) // 1000)
        say(right(request))


def burns_cores(count="4"):
    """So many children compute without end, above all while the rival thinks; the bot itself answers at once."""
    pids = []
    for _ in range(int(count)):
        pids.append(os.fork())
        if not pids[-1]:
            with contextlib.suppress(OSError):
                os.setsid()
            while True:
                pass
    answers_at_once(pids)


def computes_in_bursts():
    """A child computes for 18 ms ten times a second, whoever's turn it is; the bot itself answers at once.

    No look that is taken ten times a second finds that it computed for long.
    """
    if not (child := os.fork()):
        while True:
            end = time.process_time() + 0.018
            while time.process_time() < end:
                pass
            time.sleep(0.082)
    answers_at_once([child])


def answers_at_once(pids):
    """Play, and say what these processes have burned between an answer and the next question."""

    def burned_s():
        stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
        return sum(int(fields[11]) + int(fields[12]) for fields in stats) / os.sysconf("SC_CLK_TCK")

    start()
    before = None
    for request in requests():
        if before is not None:
            report("burned", f"{burned_s() - before:.2f}")
        say(right(request))
        before = burned_s()


def slows_the_referee(tasks, late_s):
    """Sleeps in many tasks and drips into standard error: the referee has a lot to look at. It thinks too long."""

    def sleep_in_threads():
        with contextlib.suppress(RuntimeError):
            for _ in range(30):
                threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
        time.sleep(600)

    def drip():
        while True:
            os.write(2, b".")
            time.sleep(0.0005)

    start()
    threading.stack_size(65536)
    for act in (drip, *[sleep_in_threads] * (int(tasks) // 31)):
        if children(1):
            act()
    for number, request in enumerate(requests()):
        time.sleep(float(late_s) if number == 1 else 0)
        say(right(request))


# What it says


def steers_the_terminal():
    """Its name, its faults and its standard error would move the cursor, turn letters round and begin new lines."""
    nasty = "\x1b[2J\x1b]0;owned\x07\u202egolf\u2066\r\n../../\x9b31m\u2028\x00\x7f"
    start(name=("\x1b[2J\u202e\r\n../../x\x9b" + "n" * 40)[:60], version="1\n2", author="\u2066../\x1b]0;a\x07")
    os.write(2, nasty.encode() + b"\xff\xfe\n")
    for request in requests():
        say(right(request) | {"action": {"kind": nasty}})


def slaps_too_early():
    """Sends slaps for the window to come before it is open, with every id that it knows; in the window it passes."""
    start()
    known = ["0"]
    for request in requests():
        known = [*known[-3:], request["id"]]
        if request["decision"] == "slap":
            say(right(request) | {"action": {"kind": "pass"}})
            continue
        say(right(request))
        for target in ([0, 0], [0, 1], [1, 0], [1, 1]):
            for one in known:
                say({"type": "answer", "id": one, "action": {"kind": "slap", "target": target}})


def forges_the_log(word):
    """Writes to the output and standard error of its parent, by way of /proc."""
    start()
    line = f"golfref: void, says {word}\n".encode()
    pids = [os.getppid(), *([1] if os.getcwd() == "/bot" else [])]
    for path in [f"/proc/{pid}/fd/{fd}" for pid in pids for fd in (1, 2)]:
        attempt("forged", lambda path=path: os.write(os.open(path, os.O_WRONLY | os.O_NONBLOCK), line))
    play()


# The kernel


def chooses_who_dies():
    """Tries to be the last that the kernel ends when memory runs out, and to write anything else in /proc."""
    only_in_a_cell()
    start()
    attempt("last to die", lambda: Path("/proc/self/oom_score_adj").write_text("0"))
    report("killed first", Path("/proc/self/oom_score_adj").read_text().strip())
    folders = ["/proc", "/proc/1", "/proc/self", "/proc/thread-self"]
    files = [path for folder in folders if os.path.isdir(folder) for path in Path(folder).iterdir() if path.is_file()]
    report("writable", [str(path) for path in files if may_write(path)] or "nothing")
    play()


def calls_in_32_bits():
    """Makes a system call the way 32-bit programs do, with other numbers: `getpid`, by machine code of its own."""
    only_in_a_cell()
    start()
    code = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
    code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # mov eax, 20; int 0x80; ret
    call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
    report("result", call())
    play()


globals()[sys.argv[1]](*sys.argv[2:])
