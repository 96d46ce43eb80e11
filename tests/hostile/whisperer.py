"""One of two partners whose channels benchmarks/channels.py measures. It does what it is told, by lines of JSON:

    {"do": "prepare" | "send" | "receive" | "rest", "channel": NAME, "sends": BOOL, "bits": "0110", "files": [...],
     "word": TEXT, "note": ..., "begin": SECONDS}

It answers {"s": seconds, "bits": "0110", "note": ...}. A channel is a class below. One partner prepares and receives,
the other one sends; what `prepare` returns is what the receiver must know of the time before.
"""

import contextlib
import ctypes
import errno
import fcntl
import json
import mmap
import os
import signal
import socket
import struct
import sys
import threading
import time

PAGE = mmap.PAGESIZE
APART = 8
"""So many pages lie between two that are read, since reading one may bring its neighbours."""

libc = ctypes.CDLL(None, use_errno=True)


class Channel:
    """Nothing is said, and what is heard is chance."""

    def __init__(self, files):
        self.files = [path for path in files if os.path.exists(path)]

    def prepare(self, count):
        """What the receiver knows before anything is sent."""

    def send(self, bits):
        raise NotImplementedError

    def receive(self, count, note):
        raise NotImplementedError

    def rest(self):
        """Let go of what was held."""


class Pages(Channel):
    """Of two cold pages one is read; the other one then takes longer to read."""

    def places(self, count):
        found = 0
        for path in self.files:
            fd = os.open(path, os.O_RDONLY)
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
            for page in range(0, os.fstat(fd).st_size // PAGE - 2 * APART, 2 * APART):
                yield fd, page * PAGE, (page + APART) * PAGE
                found += 1
                if found == count:
                    return
        raise OSError("no such file")

    def send(self, bits):
        for bit, (fd, *pair) in zip(bits, self.places(len(bits)), strict=True):
            os.pread(fd, 1, pair[bit])

    def receive(self, count, _note):
        return [self.took(fd, one) < self.took(fd, zero) for fd, zero, one in self.places(count)]

    def took(self, fd, place):
        began = time.perf_counter_ns()
        os.pread(fd, 1, place)
        return time.perf_counter_ns() - began


class Dentries(Channel):
    """Of two names that nobody has, one is looked up; the kernel remembers that there is no such file."""

    def pairs(self, count):
        folder = self.files[0]
        return [[f"{folder}/{self.word}-{number}-{side}" for side in (0, 1)] for number in range(count)]

    def send(self, bits):
        for bit, pair in zip(bits, self.pairs(len(bits)), strict=True):
            os.access(pair[bit], os.F_OK)

    def receive(self, count, _note):
        return [self.took(one) < self.took(zero) for zero, one in self.pairs(count)]

    def took(self, path):
        began = time.perf_counter_ns()
        os.access(path, os.F_OK)
        return time.perf_counter_ns() - began


class AccessTimes(Channel):
    """A file is read or not, which its access time tells."""

    def prepare(self, count):
        return [os.stat(path).st_atime_ns for path in self.chosen(count)]

    def chosen(self, count):
        if len(self.files) < count:
            raise OSError("no such file")
        return self.files[:count]

    def send(self, bits):
        for bit, path in zip(bits, self.chosen(len(bits)), strict=True):
            if bit:
                with open(path, "rb") as file:
                    file.read(1)

    def receive(self, count, note):
        return [os.stat(path).st_atime_ns != before for path, before in zip(self.chosen(count), note, strict=True)]


class DeviceTimes(Channel):
    """The times of /dev/null are set or not."""

    def prepare(self, _count):
        return os.stat("/dev/null").st_mtime_ns

    def send(self, bits):
        if bits[0]:
            os.utime("/dev/null")

    def receive(self, _count, note):
        return [os.stat("/dev/null").st_mtime_ns != note]


class Counter(Channel):
    """So many processes are started as the bits say, which a counter of the host's tells."""

    def count(self):
        with open("/proc/stat") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("processes"))

    def prepare(self, _count):
        return self.count()

    def send(self, bits):
        for _ in range(24 * int("".join(map(str, bits)), 2)):
            if not (pid := os.fork()):
                os._exit(0)
            os.waitpid(pid, 0)

    def receive(self, count, note):
        return list(map(int, f"{(self.count() - note + 8) // 24 % 2**count:0{count}b}"))


class Inodes(Channel):
    """Pipes are made or not; the kernel numbers those that are made on one core, whoever makes them."""

    def number(self):
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
        ends = os.pipe()
        number = os.fstat(ends[0]).st_ino
        for end in ends:
            os.close(end)
        return number

    def prepare(self, _count):
        return self.number()

    def send(self, bits):
        for _ in range(300 * bits[0]):
            self.number()

    def receive(self, _count, note):
        return [self.number() - note > 150]


class System(Channel):
    """What sysinfo tells, which the sender makes more or less."""

    def told(self):
        found = ctypes.create_string_buffer(256)
        libc.sysinfo(found)
        return struct.unpack_from("@5Q3Q2QH", found.raw)


class FreeMemory(System):
    """32 MB are taken or not."""

    SIZE = 32 << 20

    def prepare(self, _count):
        return self.told()[5]

    def send(self, bits):
        self.held = mmap.mmap(-1, self.SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE * bits[0])

    def receive(self, _count, note):
        return [note - self.told()[5] > self.SIZE // 2]

    def rest(self):
        if hasattr(self, "held"):
            self.held.close()


class Processes(System):
    """20 threads are started or not."""

    def prepare(self, _count):
        return self.told()[10]

    def send(self, bits):
        self.end = threading.Event()
        for _ in range(20 * bits[0]):
            threading.Thread(target=self.end.wait, daemon=True).start()

    def receive(self, _count, note):
        return [self.told()[10] - note >= 10]

    def rest(self):
        if hasattr(self, "end"):
            self.end.set()
            time.sleep(0.002)


class Mapped(Channel):
    """A file that both map read-only, a place in it for every bit, so far apart that one brings no other one."""

    APART = 16 * PAGE

    def map(self, count):
        with open(self.files[0], "rb") as file:
            size = count * self.APART
            if os.fstat(file.fileno()).st_size < size:
                raise OSError("the file is too small")
            libc.mmap.restype = ctypes.c_void_p
            place = libc.mmap(None, ctypes.c_size_t(size), 1, 1, file.fileno(), ctypes.c_long(0))
            if place == 2**64 - 1:
                raise OSError(ctypes.get_errno(), "mmap")
            return place


class Futexes(Mapped):
    """The receiver waits at every page, and the sender wakes those who wait where a bit is 1."""

    NUMBER = {"x86_64": 202, "aarch64": 98}.get(os.uname().machine)

    def prepare(self, count):
        place = self.map(count)
        self.woken = [0] * count
        self.limit = (ctypes.c_long * 2)(0, 300_000_000)
        self.waiting = [threading.Thread(target=self.wait, args=(place, page)) for page in range(count)]
        for thread in self.waiting:
            thread.start()
        time.sleep(0.01)

    def wait(self, place, page):
        address = place + page * self.APART
        value = ctypes.c_uint.from_address(address).value
        number, value = ctypes.c_long(self.NUMBER), ctypes.c_long(value)
        self.woken[page] = not libc.syscall(
            number, ctypes.c_void_p(address), ctypes.c_long(0), value, self.limit, None, ctypes.c_long(0)
        )

    def send(self, bits):
        place = self.map(len(bits))
        for page, bit in enumerate(bits):
            address = place + page * self.APART
            ctypes.c_uint.from_address(address).value
            if bit:
                libc.syscall(ctypes.c_long(self.NUMBER), ctypes.c_void_p(address), ctypes.c_long(1), ctypes.c_long(9))

    def receive(self, _count, _note):
        return self.woken

    def rest(self):
        for thread in getattr(self, "waiting", ()):
            thread.join()


class PageTables(Mapped):
    """A page is mapped by two or by one, which the table of one's own pages tells (bit 56)."""

    def prepare(self, count):
        self.place = self.touched(count, range(count))
        self.held = self.place, count * self.APART

    def touched(self, count, pages):
        place = self.map(count)
        for page in pages:
            ctypes.c_ubyte.from_address(place + page * self.APART).value
        return place

    def send(self, bits):
        self.held = self.touched(len(bits), [page for page, bit in enumerate(bits) if bit]), len(bits) * self.APART

    def receive(self, count, _note):
        with open("/proc/self/pagemap", "rb") as file:
            entries = []
            for page in range(count):
                file.seek((self.place + page * self.APART) // PAGE * 8)
                entries += struct.unpack("Q", file.read(8))
        return [not entry >> 56 & 1 for entry in entries]

    def rest(self):
        if hasattr(self, "held"):
            libc.munmap(ctypes.c_void_p(self.held[0]), ctypes.c_size_t(self.held[1]))


class Slots(Channel):
    """Time is cut into slots: in each the sender works or not, and the receiver measures how fast it works itself."""

    SLOT_S = 0.05

    def send(self, bits, begin):
        for number, bit in enumerate(bits):
            end = begin + (number + 1) * self.SLOT_S
            while time.monotonic() < end:
                if bit:
                    self.work()
                else:
                    time.sleep(max(0.0, end - time.monotonic()))

    def receive(self, count, begin):
        done = []
        for number in range(count):
            done.append(0)
            time.sleep(max(0.0, begin + (number + 0.1) * self.SLOT_S - time.monotonic()))
            while time.monotonic() < begin + (number + 0.9) * self.SLOT_S:
                self.work()
                done[-1] += 1
        middle = (sorted(done)[count // 10] + sorted(done)[-1 - count // 10]) / 2
        return [one < middle for one in done]


class Cores(Slots):
    """The sender computes on all cores: one process for each, since a thread of Python's waits for the others."""

    def send(self, bits, begin):
        others = []
        for _ in range(len(os.sched_getaffinity(0)) - 1):
            others.append(os.fork())
            if not others[-1]:
                super().send(bits, begin)
                os._exit(0)
        super().send(bits, begin)
        for pid in others:
            os.waitpid(pid, 0)

    def work(self):
        for _ in range(100):
            pass


class Caches(Slots):
    """Both walk through memory: the sender drives the receiver's out of the caches they share."""

    def work(self):
        if not hasattr(self, "memory"):
            self.memory = ctypes.create_string_buffer(4 << 20)
        ctypes.memset(self.memory, 1, len(self.memory))


class PipePages(Channel):
    """So many pipes are made that the user's pages for them are used up, and the next pipe is small."""

    def send(self, bits):
        self.children = []
        if bits[0]:
            for _ in range(10):
                ready, write = os.pipe()
                self.children.append(os.fork())
                if not self.children[-1]:
                    with contextlib.suppress(OSError):
                        while True:
                            os.pipe()
                    os.write(write, b".")
                    signal.pause()
                os.read(ready, 1)
                os.close(ready)
                os.close(write)

    def receive(self, _count, _note):
        ends = os.pipe()
        size = fcntl.fcntl(ends[0], 1032)
        for end in ends:
            os.close(end)
        return [size < 65536]

    def rest(self):
        for pid in getattr(self, "children", ()):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


class Descriptors(Channel):
    """So many descriptors are on their way through sockets that the user may send no more."""

    def send(self, bits):
        self.sockets = socket.socketpair() + socket.socketpair()
        if bits[0]:
            for own, _ in (self.sockets[:2], self.sockets[2:]):
                own.setblocking(False)
                with contextlib.suppress(OSError):
                    while True:
                        socket.send_fds(own, [b"."], [0] * 8)

    def receive(self, _count, _note):
        own, other = socket.socketpair()
        with own, other:
            try:
                socket.send_fds(own, [b"."], [0])
            except OSError as error:
                return [error.errno == errno.ETOOMANYREFS]
        return [False]

    def rest(self):
        for one in getattr(self, "sockets", ()):
            one.close()


class Signals(Channel):
    """So many signals wait that the user may send no more."""

    NUMBER = signal.SIGRTMIN + 3

    def queue(self):
        return not libc.sigqueue(os.getpid(), int(self.NUMBER), None)

    def send(self, bits):
        signal.pthread_sigmask(signal.SIG_BLOCK, [self.NUMBER])
        while bits[0] and self.queue():
            pass

    def receive(self, _count, _note):
        signal.pthread_sigmask(signal.SIG_BLOCK, [self.NUMBER])
        heard = [not self.queue()]
        self.rest()
        return heard

    def rest(self):
        while signal.sigtimedwait([self.NUMBER], 0):
            pass


channels = {}
for line in sys.stdin:
    order = json.loads(line)
    answer = {}
    try:
        key = order["channel"], order["sends"]
        channel = channels.get(key)
        if channel is None:
            channel = channels[key] = globals()[order["channel"]](order["files"])
        channel.word = order.get("word", "")
        bits = [int(letter) for letter in order["bits"]]
        began = time.perf_counter()
        if order["do"] == "prepare":
            answer["note"] = channel.prepare(len(bits))
        elif order["do"] == "send":
            channel.send(bits, *([order["begin"]] if "begin" in order else []))
        elif order["do"] == "receive":
            heard = channel.receive(len(bits), order.get("begin", order["note"]))
            answer["bits"] = "".join(str(int(bit)) for bit in heard)
        else:
            channels.pop(key).rest()
        answer["s"] = time.perf_counter() - began
    except (OSError, IndexError, StopIteration, ValueError) as error:
        answer["refused"] = str(error)
        channels.pop(key, None)
    print(json.dumps(answer), flush=True)
