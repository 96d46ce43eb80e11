"""Takes from this process, and from what it starts, every further watch of epoll; the kernel says ENOSPC from then on.

It is what a program meets whose user has used up `fs.epoll.max_user_watches`. That takes seconds and a gigabyte to
bring about, and other programs would suffer; so a filter of system calls says it.
"""

import ctypes
import errno
import select

_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_EQ = 4
_CTL_ADD = 1


class _Compare(ctypes.Structure):
    _fields_ = (("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64))


def take_watches() -> None:
    """There is no way back. What is watched already stays so, and can be changed."""
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_rule_add_array.argtypes = [
        ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(_Compare)
    ]  # fmt: skip
    library.seccomp_load.argtypes = [ctypes.c_void_p]
    context = library.seccomp_init(_ALLOW)
    number = library.seccomp_syscall_resolve_name(b"epoll_ctl")
    compare = (_Compare * 1)(_Compare(1, _EQ, _CTL_ADD, 0))
    if library.seccomp_rule_add_array(context, _ERRNO | errno.ENOSPC, number, 1, compare) < 0:
        raise RuntimeError("libseccomp refuses the rule")
    if library.seccomp_load(context) < 0:
        raise RuntimeError("libseccomp cannot load the filter")
    with select.epoll() as outer, select.epoll() as inner:
        try:
            outer.register(inner.fileno())
        except OSError as error:
            if error.errno == errno.ENOSPC:
                return
    raise RuntimeError("there still are watches")
