"""The system calls that a bot under `bwrap` may not make, as a filter that bubblewrap loads.

The filter is made with libseccomp, which knows the numbers of system calls on every architecture. It refuses the ways
past namespaces (keyrings, file locks and inotify reach other cells through the files that they share), new namespaces,
and parts of the kernel that no player of card games needs. This module must not know what a bot is.
"""

import ctypes
import errno
import functools
import os
import signal
from collections.abc import Iterator

from msgspec import Struct

from referee.play.faults import Missing
from referee.play.sandbox.fixes import install

_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_NE, _GT, _MASKED_EQ = 1, 6, 7

_CLONE_NAMESPACES = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET."""
_CLONE_THREAD, _CLONE_FILES = 0x10000, 0x400
"""A thread without its process's table of descriptors has one that nobody sees who counts what the process holds."""
_WORD = 0xFFFFFFFF
"""The half of an argument that the kernel looks at where it takes an int. A filter must not look at more."""
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_MAP_SHARED_ANONYMOUS = 0x21
_LOCK_COMMANDS = (5, 6, 7, 36, 37, 38, 1024, 1025, 1026)
"""fcntl: F_GETLK, F_SETLK, F_SETLKW, the same for open file descriptions, F_SETLEASE, F_GETLEASE, F_NOTIFY."""
_FILE_COMMANDS = (10, 1031, 1035, 1036, 1037, 1038, 1039, 1040)
"""fcntl: F_SETSIG, F_SETPIPE_SZ, F_GET_RW_HINT, F_SET_RW_HINT, the same for open file descriptions, F_GETDELEG,
F_SETDELEG."""
_SOL_SOCKET = 1
_BUFFER_SIZES = (7, 8)
"""setsockopt: SO_SNDBUF, SO_RCVBUF."""
_COUNTED_SOCKETS = (57, 71, 76, 77)
"""getsockopt: SO_COOKIE, SO_NETNS_COOKIE, SO_PASSPIDFD, SO_PEERPIDFD."""
_CLONE_PIDFD = 0x1000
_RLIMIT_CORE = 4
_DONTNEED = 4
_NOWAIT = 8
_WAKES = signal.SIGCONT
"""Sent by a process of the bot, or when one of them ends, it would wake a bot that is frozen; so would a timer."""
_SENDS_SIGNALS = (
    ("kill", 1), ("tkill", 1), ("tgkill", 2), ("rt_sigqueueinfo", 1), ("rt_tgsigqueueinfo", 2),
    ("pidfd_send_signal", 1),
)  # fmt: skip
"""Calls that send a signal, each with the place of the signal among its arguments."""
_EXIT_SIGNAL = 0xFF
"""The part of clone's flags that says which signal tells the parent of the end of its child."""
_PR_SET_PDEATHSIG = 1
_PR_SET_SECCOMP = 22
_SET_MODE_FILTER = 1
_AF_UNIX, _AF_NETLINK = 1, 16
_AF_INTERNET = (2, 10)
_SOCKET_TYPE = 0xF
"""The part of a socket's type without its flags."""
_DATAGRAMS = (2, 3)
"""SOCK_DGRAM, and SOCK_RAW, which is the same among Unix sockets: each can send to any socket whose name it knows."""
_HIGHEST_FAMILY = 64

_NOT_PERMITTED = (
    "keyctl", "add_key", "request_key",
    "inotify_init", "inotify_init1", "inotify_add_watch", "fanotify_init", "fanotify_mark",
    "setns", "unshare", "mount", "umount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen",
    "fsconfig", "fsmount", "fspick", "mount_setattr",
    "setsid", "setpgid",
    "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "perf_event_open", "bpf", "userfaultfd",
    "shmget", "shmat", "semget", "msgget", "mq_open",
    "name_to_handle_at", "open_by_handle_at", "quotactl", "quotactl_fd", "acct", "syslog", "cachestat",
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff",
    "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname", "iopl", "ioperm",
    "vhangup", "uselib", "modify_ldt", "memfd_secret", "timer_create", "io_setup", "mincore", "vmsplice",
)  # fmt: skip
"""These are refused with EPERM. Without `setsid` and `setpgid` a bot stays one process group, which a signal stops."""

_NOT_THERE = (
    "io_uring_setup", "io_uring_enter", "io_uring_register", "clone3", "pidfd_open",
    "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self",
)  # fmt: skip
"""These are refused with ENOSYS, upon which programs fall back to what they did before these existed."""

_NO_TIMES = ("utime", "utimes", "futimesat", "utimensat", "utimensat_time64")
"""These do nothing, and say that they have done it. The times of a device such as /dev/null are the host's, and every
bot may write to it, so all cells could set and see them."""

_NO_DISK = (
    "sync", "syncfs", "fsync", "fdatasync", "msync", "sync_file_range", "sync_file_range2", "ioprio_set",
)  # fmt: skip
"""These do nothing either. A cell writes to memory alone, so they would only make the host's disk slow for others:
`fsync` flushes the cache of the disk even for a file that is open for reading."""


class _Compare(ctypes.Structure):
    _fields_ = (("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64))


class _Rule(Struct, frozen=True):
    """A call that is refused with this error, if all arguments compare so (index, operator, operand, second operand).

    If the error is 0, the call does nothing, and the program is told that it is done.
    """

    call: str
    error: int
    compares: tuple[tuple[int, int, int, int], ...] = ()


@functools.cache
def program(*, shared_memory: bool, builds: bool = False, network: bool = False) -> bytes:
    """The filter as bubblewrap takes it (an array of struct sock_filter); raises Missing.

    Without `shared_memory` it also refuses memory that counts for no process (memfd, shared anonymous mappings), which
    must be so on hosts where no control group counts it. What `builds` may lock files and set their times, as compilers
    do; bots, which may not, cannot talk to a build by that. With `network` there are sockets for IPv4 and IPv6, but for
    bots none to the host's own programs: abstract sockets (unix(7)) belong to the network.
    """
    library = _library()
    context = ctypes.c_void_p(library.seccomp_init(_ALLOW))
    if not context:
        raise Missing("libseccomp cannot begin a filter", install("libseccomp2"))
    try:
        for rule in _rules(shared_memory=shared_memory, builds=builds, network=network):
            _add(library, context, rule)
        return _exported(library, context)
    finally:
        library.seccomp_release(context)


def _rules(*, shared_memory: bool, builds: bool, network: bool) -> Iterator[_Rule]:
    yield from (_Rule(call, errno.EPERM) for call in _NOT_PERMITTED)
    yield from (_Rule(call, errno.ENOSYS) for call in _NOT_THERE)
    yield from (_Rule(call, 0) for call in _NO_DISK)
    if not builds:
        yield from _locks_and_times()
    for name in ("fcntl", "fcntl64"):
        yield from (_Rule(name, errno.EPERM, ((1, _MASKED_EQ, _WORD, command),)) for command in _FILE_COMMANDS)
    yield _Rule("fadvise64", errno.EPERM, ((3, _MASKED_EQ, _WORD, _DONTNEED),))
    yield _Rule("preadv2", errno.EOPNOTSUPP, ((5, _MASKED_EQ, _NOWAIT, _NOWAIT),))
    for bit in _bits(_CLONE_NAMESPACES):
        yield _Rule("clone", errno.EPERM, ((0, _MASKED_EQ, bit, bit),))
    yield _Rule("clone", errno.EPERM, ((0, _MASKED_EQ, _CLONE_THREAD | _CLONE_FILES, _CLONE_THREAD),))
    yield from (_Rule("ioctl", errno.EPERM, ((1, _MASKED_EQ, _WORD, code),)) for code in (_TIOCSTI, _TIOCLINUX))
    yield from (_Rule(call, errno.EPERM, ((place, _MASKED_EQ, _WORD, _WAKES),)) for call, place in _SENDS_SIGNALS)
    yield _Rule("clone", errno.EPERM, ((0, _MASKED_EQ, _EXIT_SIGNAL, _WAKES),))
    yield _Rule("prctl", errno.EPERM, ((0, _MASKED_EQ, _WORD, _PR_SET_PDEATHSIG), (1, _MASKED_EQ, _WORD, _WAKES)))
    yield from _families(builds=builds, network=network)
    for option in _BUFFER_SIZES:
        yield _Rule("setsockopt", 0, _of_socket(option))
    # The number of a socket, or of a process's descriptor, tells how many have been made on the whole host.
    for call in ("getsockopt", "setsockopt"):
        yield from (_Rule(call, errno.ENOPROTOOPT, _of_socket(option)) for option in _COUNTED_SOCKETS)
    yield _Rule("clone", errno.EINVAL, ((0, _MASKED_EQ, _CLONE_PIDFD, _CLONE_PIDFD),))
    # A limit of 1 byte keeps the kernel from starting the host's program for core dumps as root; 0 does not.
    yield _Rule("setrlimit", errno.EPERM, ((0, _MASKED_EQ, _WORD, _RLIMIT_CORE),))
    yield _Rule("prlimit64", errno.EPERM, ((1, _MASKED_EQ, _WORD, _RLIMIT_CORE), (2, _NE, 0, 0)))
    # The kernel keeps a megabyte of filters for each thread, and counts it for nobody. So do rules of Landlock.
    yield _Rule("seccomp", errno.EINVAL, ((0, _MASKED_EQ, _WORD, _SET_MODE_FILTER),))
    yield _Rule("prctl", errno.EINVAL, ((0, _MASKED_EQ, _WORD, _PR_SET_SECCOMP),))
    if not shared_memory:
        yield _Rule("memfd_create", errno.ENOSYS)
        for name in ("mmap", "mmap2"):
            yield _Rule(name, errno.ENOMEM, ((3, _MASKED_EQ, _MAP_SHARED_ANONYMOUS, _MAP_SHARED_ANONYMOUS),))


def _locks_and_times() -> Iterator[_Rule]:
    yield _Rule("flock", errno.ENOLCK)
    for name in ("fcntl", "fcntl64"):
        yield from (_Rule(name, errno.ENOLCK, ((1, _MASKED_EQ, _WORD, command),)) for command in _LOCK_COMMANDS)
    yield from (_Rule(call, 0) for call in _NO_TIMES)


def _families(*, builds: bool, network: bool) -> Iterator[_Rule]:
    has_unix = builds or not network
    families = {_AF_NETLINK, *(_AF_INTERNET if network else ()), *([_AF_UNIX] if has_unix else ())}
    for family in sorted(set(range(_HIGHEST_FAMILY)) - families):
        yield _Rule("socket", errno.EAFNOSUPPORT, ((0, _MASKED_EQ, _WORD, family),))
    yield _Rule("socket", errno.EAFNOSUPPORT, ((0, _GT, _HIGHEST_FAMILY - 1, 0),))
    for kind in _DATAGRAMS if not has_unix else ():
        yield _Rule("socketpair", errno.ESOCKTNOSUPPORT, ((1, _MASKED_EQ, _SOCKET_TYPE, kind),))


def _of_socket(option: int) -> tuple[tuple[int, int, int, int], ...]:
    return (1, _MASKED_EQ, _WORD, _SOL_SOCKET), (2, _MASKED_EQ, _WORD, option)


def _bits(word: int) -> Iterator[int]:
    return (1 << place for place in range(word.bit_length()) if word >> place & 1)


@functools.cache
def _library() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL("libseccomp.so.2")
    except OSError:
        raise Missing("libseccomp.so.2 is not installed", install("libseccomp2")) from None
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_init.argtypes = [ctypes.c_uint32]
    library.seccomp_release.argtypes = [ctypes.c_void_p]
    library.seccomp_syscall_resolve_name.argtypes = [ctypes.c_char_p]
    library.seccomp_rule_add_array.argtypes = [
        ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(_Compare)
    ]  # fmt: skip
    library.seccomp_export_bpf.argtypes = [ctypes.c_void_p, ctypes.c_int]
    return library


def _add(library: ctypes.CDLL, context: ctypes.c_void_p, rule: _Rule) -> None:
    """Add a rule. A call that this architecture does not have, or this libseccomp does not know, needs none."""
    number = library.seccomp_syscall_resolve_name(rule.call.encode())
    if number < 0:
        return
    array = (_Compare * len(rule.compares))(*(_Compare(*compare) for compare in rule.compares))
    code = library.seccomp_rule_add_array(context, _ERRNO | rule.error, number, len(rule.compares), array)
    if code < 0:
        raise Missing(f"libseccomp refuses the rule for {rule.call}: {os.strerror(-code)}", install("libseccomp2"))


def _exported(library: ctypes.CDLL, context: ctypes.c_void_p) -> bytes:
    fd = os.memfd_create("seccomp")
    try:
        if (code := library.seccomp_export_bpf(context, fd)) < 0:
            raise Missing(f"libseccomp cannot write the filter: {os.strerror(-code)}", install("libseccomp2"))
        os.lseek(fd, 0, os.SEEK_SET)
        with open(fd, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(fd)
