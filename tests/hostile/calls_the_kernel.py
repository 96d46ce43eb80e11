"""Makes system calls that lead out of a cell, into other processes or deep into the kernel, and says what came of each.

Numbers are of x86-64. Arguments are such that none of them does harm where it is let through.
"""

import ctypes
import os
import sys

from filler import play, start
from wire import only_in_a_cell, report

only_in_a_cell()
libc = ctypes.CDLL(None, use_errno=True)
text = ctypes.create_string_buffer
CALLS = {
    "ptrace": (101, 16, 1, 0, 0),
    "process_vm_readv": (310, 1, 0, 0, 0, 0, 0),
    "process_vm_writev": (311, 1, 0, 0, 0, 0, 0),
    "kcmp": (312, 1, 1, 0, 0, 0),
    "mount": (165, text(b"none"), text(b"/tmp"), text(b"tmpfs"), 0, 0),
    "bind mount": (165, text(b"/proc"), text(b"/tmp"), 0, 4096, 0),
    "remount": (165, text(b"none"), text(b"/bot"), 0, 32 | 4096, 0),
    "umount": (166, text(b"/bot"), 2),
    "pivot_root": (155, text(b"/tmp"), text(b"/tmp")),
    "chroot": (161, text(b"/tmp")),
    "open_tree": (428, -100, text(b"/"), 1),
    "fsopen": (430, text(b"tmpfs"), 0),
    "mount_setattr": (442, -100, text(b"/bot"), 0, 0, 0),
    "timer_create": (222, 0, 0, text(8)),  # its signal, SIGCONT, would wake a bot that is frozen
    "io_setup": (206, 1, text(8)),
    "mincore": (27, 0, 0, 0),
    "fcntl F_SETSIG": (72, 0, 10, 18),
    "fcntl F_SETLK": (72, 0, 6, text(64)),
    "fcntl F_OFD_SETLK": (72, 0, 37, text(64)),
    "fcntl F_SETLEASE": (72, 0, 1024, 0),
    "fcntl F_SETPIPE_SZ": (72, 0, 1031, 4096),
    "vmsplice": (278, 1, 0, 0, 0),
    "preadv2 RWF_NOWAIT": (327, 0, 0, 0, 0, 0, 8),
    "unshare user": (272, 0x10000000),
    "unshare mount": (272, 0x20000),
    "setns": (308, 0, 0),
    "clone user": (56, 0x10000000 | 17, 0, 0, 0, 0),
    "clone3": (435, 0, 0),
    "setuid": (105, 0),
    "setgroups": (116, 0, 0),
    "capset": (126, text(b"\x22\x05\x08\x20" + 4 * b"\0"), text(24 * b"\xff")),
    "mknod": (133, text(b"/tmp/memory"), 0o20666, 0x101),
    "keyctl": (250, 0, -4, 0),
    "add_key": (248, text(b"user"), text(b"golfref"), text(b"x"), 1, -4),
    "request_key": (249, text(b"user"), text(b"golfref"), 0, -4),
    "shmget": (29, 0, 4096, 0o1600),
    "semget": (64, 0, 1, 0o1600),
    "msgget": (68, 0, 0o1600),
    "mq_open": (240, text(b"golf"), 0o102, 0o600, 0),
    "inotify_init": (253,),
    "fanotify_init": (300, 0, 0),
    "io_uring_setup": (425, 1, 0),
    "landlock": (444, 0, 0, 1),
    "seccomp": (317, 1, 0, 0),
    "prctl PR_SET_SECCOMP": (157, 22, 2, 0, 0, 0),
    "bpf": (321, 0, 0, 0),
    "perf_event_open": (298, 0, 0, -1, -1, 0),
    "userfaultfd": (323, 1),
    "name_to_handle_at": (303, -100, text(b"/bot"), 0, 0, 0),
    "open_by_handle_at": (304, -100, 0, 0),
    "init_module": (175, 0, 0, text(b"")),
    "kexec_load": (246, 0, 0, 0, 0),
    "swapon": (167, text(b"/tmp/none"), 0),
    "sethostname": (170, text(b"x"), 1),
    "clock_settime": (227, 0, 0),
    "syslog": (103, 10, 0, 0),
    "acct": (163, 0),
    "quotactl": (179, 0, 0, 0, 0),
    "iopl": (172, 3),
    "setsid": (112,),
    "setpgid": (109, 0, 0),
    "flock": (73, 0, 2),
    "modify_ldt": (154, 0, 0, 0),
    "cachestat": (451, 0, 0, 0, 0),
    "internet socket": (41, 2, 1, 0),
    "newer internet socket": (41, 10, 1, 0),
    "raw socket": (41, 2, 3, 1),
    "packet socket": (41, 17, 3, 0),
    "vsock": (41, 40, 1, 0),
    "alg socket": (41, 38, 5, 0),
    "a family of its own": (41, 4096, 1, 0),
    "nice": (141, 0, 0, -20),
    "real time": (144, 0, 1, text(b"\x63\0\0\0")),
    "higher limit": (160, 7, text(16 * b"\xff")),
    "core limit": (160, 4, text(16)),
    "core limit by prlimit": (302, 0, 4, text(16), 0),
    "kill the first process": (62, 1, 9),
    "kill SIGCONT": (62, 0, 18),  # it would wake a bot that is frozen, as the next four would
    "tgkill SIGCONT": (234, os.getpid(), os.getpid(), 18),
    "pidfd_send_signal SIGCONT": (424, -1, 18, 0, 0),
    "clone SIGCONT": (56, 0x800 | 18, 0, 0, 0, 0),
    "prctl PR_SET_PDEATHSIG SIGCONT": (157, 1, 18, 0, 0, 0),
    "prctl PR_SET_PDEATHSIG SIGKILL": (157, 1, 9, 0, 0, 0),
    "pidfd_getfd": (438, 0, 0, 0),
    "x32 getpid": (0x40000000 | 39,),
}
ERRORS = {
    1: "EPERM",
    3: "ESRCH",
    9: "EBADF",
    22: "EINVAL",
    38: "ENOSYS",
    37: "ENOLCK",
    97: "EAFNOSUPPORT",
    13: "EACCES",
    14: "EFAULT",
}
assert os.uname().machine == "x86_64", "written for x86-64"
start()
for name, (number, *given) in CALLS.items():
    if sys.argv[1:] in ([], [name]) and (name != "x32 getpid" or sys.argv[1:]):
        result = libc.syscall(
            ctypes.c_long(number), *(ctypes.c_long(one) if isinstance(one, int) else one for one in given)
        )
        error = ctypes.get_errno()
        report(name, "done" if result != -1 else ERRORS.get(error, error))
play()
