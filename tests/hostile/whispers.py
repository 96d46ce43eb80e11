"""One of two bots that would play together: `whispers.py say|hear WORD CHANNEL...`, each channel a function below.

The one that says prepares before it is `ready`; the one that hears listens when it is asked for the first time, when
both have said `ready`.
"""

import contextlib
import hashlib
import os
import socket
import sys
import time

from filler import requests, right, say, start
from wire import name_of, report

ROLE, WORD, *CHANNELS = sys.argv[1:]
NUMBER = int(hashlib.sha256(WORD.encode()).hexdigest()[:7], 16)
PORT = 20_000 + NUMBER % 10_000
SHARED_FILE = os.path.abspath(__file__)
HEARD_S = 0.5
kept = []


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


# Other processes


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
