"""Looks for files of /proc that tell of what others do on the host: those that change while it works.

It reads them all, starts processes, takes memory and reads files, and reads them again. Then it asks for numbers that
the kernel gives to processes and sockets one after another.
"""

import ctypes
import os
import socket

from filler import play, start
from wire import attempt, only_in_a_cell, report


def readable():
    for folder, folders, files in os.walk("/proc"):
        if folder == "/proc":
            folders[:] = [name for name in folders if not name.isdigit() and name not in {"self", "thread-self", "net"}]
        for name in files:
            yield os.path.join(folder, name)


def contents():
    found = {}
    for path in readable():
        try:
            with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
                found[path] = hash(file.read(1 << 16))
        except OSError:
            continue
    return found


def work():
    for _ in range(100):
        if not (pid := os.fork()):
            os._exit(0)
        os.waitpid(pid, 0)
    taken = bytearray(os.urandom(4096)) * 4096
    with open("/tmp/taken", "wb") as file:
        file.write(taken)
    os.listdir("/usr/bin")


def number_of_process():
    return os.fstat(os.pidfd_open(os.getpid())).st_ino


def number_of_child():
    """By the descriptor that `clone` gives for a new process; the child's signal is SIGCHLD."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = ctypes.c_int(-1)
    pid = libc.syscall(56, ctypes.c_long(0x1000 | 17), None, ctypes.byref(descriptor), None, None)
    if not pid:
        os._exit(0)
    if pid < 0:
        raise OSError(ctypes.get_errno(), "clone")
    return os.fstat(descriptor.value).st_ino


def number_of_socket(option):
    with socket.socketpair()[0] as one:
        return one.getsockopt(socket.SOL_SOCKET, option, 8)


only_in_a_cell()
start()
attempt("process", number_of_process)
if os.uname().machine == "x86_64":
    attempt("child", number_of_child)
attempt("socket", number_of_socket, 57)
attempt("network", number_of_socket, 71)
before = contents()
work()
after = contents()
report("read", len(after))
report("changed", " ".join(path for path in after if after[path] != before.get(path)))
play()
