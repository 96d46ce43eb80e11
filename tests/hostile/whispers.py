"""One of two bots that would play together: `whispers.py say|hear WORD CHANNEL...`, each channel a function below.

The one that says prepares before it is `ready`; the one that hears listens when it is asked for the first time, when
both have said `ready`.
"""

import contextlib
import ctypes
import errno
import fcntl
import hashlib
import os
import select
import socket
import struct
import sys
import time

from filler import requests, right, say, start
from wire import name_of, report

ROLE, WORD, *CHANNELS = sys.argv[1:]
NUMBER = int(hashlib.sha256(WORD.encode()).hexdigest()[:7], 16)
PORT = 20_000 + NUMBER % 10_000
SHARED_FILE = os.path.abspath(__file__)
HEARD_S = 0.5
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
kept = []


def checked(result):
    if result in {-1, 2**64 - 1}:
        raise OSError(ctypes.get_errno(), "refused")
    return result


# Sockets


def stream(family, address):
    if ROLE == "say":
        server = socket.socket(family)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(address)
        server.listen()
        kept.append(server)
        if not os.fork():
            while True:
                server.accept()[0].send(WORD.encode())
    else:
        client = socket.socket(family)
        client.settimeout(HEARD_S)
        client.connect(address)
        return client.recv(100).decode()


def datagram(family, address):
    peer = socket.socket(family, socket.SOCK_DGRAM)
    if ROLE == "hear":
        peer.bind(address)
        peer.settimeout(HEARD_S)
        return peer.recv(100).decode()
    if not os.fork():
        while True:
            with contextlib.suppress(OSError):
                peer.sendto(WORD.encode(), address)
            time.sleep(0.01)


def loopback():
    return stream(socket.AF_INET, ("127.0.0.1", PORT))


def loopback6():
    return stream(socket.AF_INET6, ("::1", PORT))


def udp():
    return datagram(socket.AF_INET, ("127.0.0.1", PORT))


def abstract():
    return stream(socket.AF_UNIX, f"\0{WORD}")


def socket_in_tmp():
    heard = stream(socket.AF_UNIX, f"/tmp/{WORD}.socket")
    if ROLE == "hear":
        os.unlink(f"/tmp/{WORD}.socket")
    return heard


# Files and memory


def file_in(folder):
    path = f"{folder}/{WORD}"
    if ROLE == "say":
        with open(path, "w") as file:
            file.write(WORD)
    else:
        with open(path) as file:
            os.unlink(path)
            return file.read()


def file_in_tmp():
    return file_in("/tmp")


def file_in_shared_memory():
    return file_in("/dev/shm")


def file_in_folder():
    return file_in(os.path.dirname(SHARED_FILE))


def fifo_in_folder():
    path = f"{os.path.dirname(SHARED_FILE)}/{WORD}.fifo"
    if ROLE == "say":
        os.mkfifo(path)
        kept.append(os.open(path, os.O_RDWR))
        os.write(kept[-1], WORD.encode())
    else:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        os.unlink(path)
        return os.read(fd, 100).decode()


def mode_of_file():
    if ROLE == "say":
        os.chmod(SHARED_FILE, 0o645)
    elif os.stat(SHARED_FILE).st_mode & 0o1:
        os.chmod(SHARED_FILE, 0o644)
        return WORD


def times_of_a_device():
    """Anybody may set the times of /dev/null to now. When that was, to 17 ms in a second, is what is said."""
    moment = NUMBER % 64
    if ROLE == "say":
        while (time.time_ns() - 2**23) // 2**24 % 64 != moment:  # files' times lag behind the clock
            time.sleep(0.001)
        os.utime("/dev/null")
    else:
        changed_ns = os.stat("/dev/null").st_mtime_ns
        return WORD if changed_ns // 2**24 % 64 == moment and time.time_ns() - changed_ns < 5e9 else None


# System V and POSIX


def sysv_memory():
    segment = checked(libc.shmget(NUMBER, 4096, 0o1666 if ROLE == "say" else 0))
    place = checked(libc.shmat(segment, None, 0))
    if ROLE == "say":
        ctypes.memmove(place, WORD.encode() + b"\0", len(WORD) + 1)
    else:
        libc.shmctl(segment, 0, None)
        return ctypes.string_at(place).decode()


def sysv_messages():
    queue = checked(libc.msgget(NUMBER, 0o1666 if ROLE == "say" else 0))
    buffer = ctypes.create_string_buffer(struct.pack("l", 1) + WORD.encode().ljust(64, b"\0"), 72)
    if ROLE == "say":
        checked(libc.msgsnd(queue, buffer, 64, 0))
    else:
        checked(libc.msgrcv(queue, buffer, 64, 0, 0o4000))
        libc.msgctl(queue, 0, None)
        return buffer.raw[8:].rstrip(b"\0").decode()


def sysv_semaphore():
    semaphore = checked(libc.semget(NUMBER, 1, 0o1666 if ROLE == "say" else 0))
    if ROLE == "hear":
        libc.semctl(semaphore, 0, 0)
        return WORD


def posix_messages():
    libc.mq_open.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p]
    real_time = ctypes.CDLL("librt.so.1", use_errno=True)
    queue = checked(
        real_time.mq_open(f"/{WORD}".encode(), os.O_RDWR | (os.O_CREAT if ROLE == "say" else 0), 0o666, None)
    )
    if ROLE == "say":
        checked(real_time.mq_send(queue, WORD.encode(), len(WORD), 0))
    else:
        real_time.mq_unlink(f"/{WORD}".encode())
        buffer = ctypes.create_string_buffer(8192)
        length = checked(real_time.mq_receive(queue, buffer, 8192, None))
        return buffer.raw[:length].decode()


# Marks on what both can see


def keyring():
    add_key, keyctl = 248, 250  # of x86-64, where this is tried
    if os.uname().machine != "x86_64":
        add_key, keyctl = 217, 219
    user_keyring, search, set_timeout = -4, 10, 15
    if ROLE == "say":
        key = checked(libc.syscall(add_key, b"user", WORD.encode(), WORD.encode(), len(WORD), user_keyring))
        libc.syscall(keyctl, set_timeout, key, 10)
    else:
        checked(libc.syscall(keyctl, search, user_keyring, b"user", WORD.encode(), 0))
        return WORD


def flock():
    with open(SHARED_FILE, "rb") as file:
        kept.append(os.dup(file.fileno()))
    if ROLE == "say":
        fcntl.flock(kept[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
        return None
    try:
        fcntl.flock(kept[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return WORD


def record_lock(command_set, command_get):
    """A lock on bytes that stand for the word: far behind the end of the file."""
    kept.append(os.open(SHARED_FILE, os.O_RDONLY))
    lock = struct.pack("hhqqi4x", fcntl.F_RDLCK if ROLE == "say" else fcntl.F_WRLCK, 0, 1 << 30, NUMBER, 0)
    if ROLE == "say":
        fcntl.fcntl(kept[-1], command_set, lock)
        return None
    kind, _, _, length, _ = struct.unpack("hhqqi4x", fcntl.fcntl(kept[-1], command_get, lock))
    return WORD if kind != fcntl.F_UNLCK and length == NUMBER else None


def fcntl_lock():
    return record_lock(fcntl.F_SETLK, fcntl.F_GETLK)


def description_lock():
    return record_lock(37, 36)


def lease():
    kept.append(os.open(SHARED_FILE, os.O_RDONLY))
    if ROLE == "say":
        fcntl.fcntl(kept[-1], fcntl.F_SETLEASE, fcntl.F_RDLCK)
        return None
    try:
        fcntl.fcntl(kept[-1], fcntl.F_SETLEASE, fcntl.F_WRLCK)
    except OSError as error:
        return WORD if error.errno in {errno.EAGAIN, errno.EBUSY} else name_of(error)


def inotify():
    """Opening a file is seen by whoever watches it."""
    if ROLE == "say":
        if not os.fork():
            while True:
                open(SHARED_FILE, "rb").close()
                time.sleep(0.01)
        return None
    fd = checked(libc.inotify_init())
    checked(libc.inotify_add_watch(fd, SHARED_FILE.encode(), 0x20))
    return WORD if select.select([fd], [], [], HEARD_S)[0] else None


def vsock():
    """Only whether there is such a socket: its other end would be outside this machine."""
    socket.socket(socket.AF_VSOCK).close()
    return WORD if ROLE == "hear" else None


def fd_of_the_other():
    """The other's standard input, by way of /proc."""
    if ROLE == "say":
        return None
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                is_partner = int(pid) != os.getpid() and WORD.encode() in file.read() and int(pid) != os.getppid()
            if is_partner:
                os.close(os.open(f"/proc/{pid}/fd/0", os.O_WRONLY | os.O_NONBLOCK))
                return WORD
        except OSError:
            continue


def act():
    for name in CHANNELS:
        try:
            heard = globals()[name]()
            report(f"{ROLE} {name}", heard if ROLE == "hear" else "done")
        except OSError as error:
            report(f"{ROLE} {name}", name_of(error))


if ROLE == "say":
    act()
start()
for number, request in enumerate(requests()):
    if ROLE == "hear" and number == 0:
        act()
    say(right(request))
