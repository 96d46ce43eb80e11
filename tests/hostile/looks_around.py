"""Says what it sees of the machine: its descriptors, processes, network, names, terminal and what it may write."""

import glob
import os
import socket
import subprocess

from filler import play, start
from wire import attempt, may_write, only_in_a_cell, report


def descriptors():
    return sorted(int(fd) for fd in os.listdir("/proc/self/fd"))[:-1]


def processes():
    return sorted({open(path).read().strip() for path in glob.glob("/proc/[0-9]*/comm")})


def status(name):
    with open("/proc/self/status") as file:
        return next(line.split()[1] for line in file if line.startswith(name + ":"))


def readable(*places):
    found = [path for place in places for path in glob.glob(place) if os.access(path, os.R_OK) and is_open(path)]
    return found or "nothing"


def is_open(path):
    try:
        os.listdir(path) if os.path.isdir(path) else os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return not os.path.isdir(path) or bool(os.listdir(path))


def writable():
    """What it may open to write, of all that could matter; nothing is written."""
    places = [
        "/", "/bot", "/usr", "/etc", "/dev", "/dev/pts", "/proc", "/proc/sysrq-trigger", "/proc/kcore",
        "/proc/1/mem", "/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches", "/sys", "/sys/fs/cgroup",
        "/dev/mem", "/dev/kmsg", "/proc/1/fd/2", "/proc/1/cwd", "/proc/1/root", "/proc/1/uid_map",
    ]  # fmt: skip
    return [place for place in places if may_write(place)] or "nothing"


def terminal():
    return os.close(os.open("/dev/tty", os.O_RDWR))


def new_terminal():
    return os.openpty()


def first_process():
    """What it can read of the process that leads its cell."""
    return [
        name for name in ("environ", "cmdline", "maps", "mem", "fd", "root/etc", "cwd") if is_open(f"/proc/1/{name}")
    ] or "nothing"


def setuid_programs():
    """Those that would make it root elsewhere: what `id` says inside them."""
    said = []
    for words in (["su", "-c", "id -u"], ["sudo", "-n", "id", "-u"], ["mount", "-t", "tmpfs", "none", "/tmp"]):
        try:
            done = subprocess.run(
                words, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, check=False
            )
            said.append(done.returncode == 0)
        except (OSError, subprocess.SubprocessError):
            said.append(False)
    return any(said)


def writes_into_own_input():
    fd = os.open("/proc/self/fd/0", os.O_WRONLY | os.O_NONBLOCK)
    os.close(fd)


only_in_a_cell()
start()
for look in (
    descriptors, processes, first_process, writable, terminal, new_terminal, setuid_programs, writes_into_own_input
):  # fmt: skip
    attempt(look.__name__, look)
report("host", socket.gethostname())
report("interfaces", sorted(name for _, name in socket.if_nameindex()))
report("environment", sorted(os.environ))
report("capabilities", status("CapEff") + status("CapPrm") + status("CapBnd")[-16:])
report("new privileges", "never" if status("NoNewPrivs") == "1" else "perhaps")
report("groups", os.getgroups())
names = ("passwd", "shadow", "hosts", "hostname", "machine-id", "ssh", "resolv.conf")
report("accounts", readable(*(f"/etc/{name}" for name in names)))
names = ("mem", "kmsg", "sd*", "vd*", "fuse", "kvm", "net/tun", "pts/*", "input/*")
report("devices", readable(*(f"/dev/{name}" for name in names)))
attempt("killed the first process", os.kill, 1, 9)
play()
