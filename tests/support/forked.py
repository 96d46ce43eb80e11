"""Python programs of ours, each in a process of its own that was forked from one which has imported what they need.

Such a process is what `python -m referee` would be in all but its start. To start Python and import the referee again
for each of many hundred processes would take more of the processor than what most of them then do.

Run as a program, this file is the one that is forked.
"""

import atexit
import contextlib
import gc
import json
import os
import pkgutil
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import time
import traceback
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from referee.play.process import orphans

MODULE = "referee"
"""What runs where no file is named."""

_NOT_IMPORTED = tuple(
    f"referee.{name}" for name in ("__main__", "cluster", "plots", "research", "site", "terminal.screen")
)
"""Modules that few programs need, or that need packages which may not be there."""

_PIPE_BYTES = 1 << 16


class Ended(NamedTuple):
    """A program that has ended."""

    pid: int
    out: bytes
    err: bytes
    code: int
    """As subprocess tells it: below 0 where a signal ended it."""


def run(*words: str, file: Path | None = None, cwd: Path | None = None, given: bytes = b"", timeout_s: float) -> Ended:
    """What `python -m referee WORDS`, or the program of a file with these words, says and ends with.

    It has our environment as it is now. TimeoutError, once it is killed, if it takes longer.
    """
    return _server().run(
        {"words": words, "file": str(file or ""), "cwd": str(cwd or Path.cwd()), "env": dict(os.environ)},
        given,
        timeout_s,
    )


class _Server:
    """The process that is forked; it ends with us."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            # A test may have marked its own environment, and would take the server, which outlives it, for left behind.
            unmarked = {name: value for name, value in os.environ.items() if name != "GOLFREF_TEST"}
            self._process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(theirs.fileno())], pass_fds=[theirs.fileno()], env=unmarked
            )
        orphans._children.add(self._process.pid)  # a referee in this process ends all children that it does not know
        self._socket = ours
        self._answers = ours.makefile("r")
        atexit.register(self.close)

    def close(self) -> None:
        self._answers.close()
        self._socket.close()
        self._process.wait()

    def run(self, order: dict[str, Any], given: bytes, timeout_s: float) -> Ended:
        assert len(given) <= _PIPE_BYTES
        (stdin, to_it), (out, stdout), (err, stderr) = (os.pipe() for _ in range(3))
        os.write(to_it, given)
        os.close(to_it)
        line = json.dumps(order).encode() + b"\n"
        socket.send_fds(self._socket, [line[:1]], [stdin, stdout, stderr])
        self._socket.sendall(line[1:])
        for fd in (stdin, stdout, stderr):
            os.close(fd)
        pid = int(self._answers.readline())
        try:
            said = _read(out, err, timeout_s=timeout_s)
        except BaseException:
            os.kill(pid, signal.SIGKILL)
            self._answers.readline()
            raise
        finally:
            os.close(out)
            os.close(err)
        return Ended(pid, said[out], said[err], os.waitstatus_to_exitcode(int(self._answers.readline())))


@cache
def _server() -> _Server:
    return _Server()


def _read(*pipes: int, timeout_s: float) -> dict[int, bytes]:
    """All that comes out of each of the pipes until nobody has its other end."""
    end = time.monotonic() + timeout_s
    said = dict.fromkeys(pipes, b"")
    with selectors.DefaultSelector() as open_pipes:
        for pipe in pipes:
            open_pipes.register(pipe, selectors.EVENT_READ)
        while open_pipes.get_map():
            ready = open_pipes.select(max(0.0, end - time.monotonic()))
            if not ready:
                raise TimeoutError(f"it takes longer than {timeout_s} s")
            for key, _ in ready:
                chunk = os.read(key.fd, _PIPE_BYTES)
                said[key.fd] += chunk
                if not chunk:
                    open_pipes.unregister(key.fd)
    return said


# The process that is forked


def _serve(orders: socket.socket) -> None:
    for module in pkgutil.walk_packages(import_module(MODULE).__path__, f"{MODULE}."):
        if not module.name.startswith(_NOT_IMPORTED):
            import_module(module.name)
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for pytest, and our end comes with its end
    while first := socket.recv_fds(orders, 1, 3):
        begun, fds, _, _ = first
        if not begun:
            return
        with orders.makefile("rb", buffering=0) as rest:
            order = json.loads(begun + rest.readline())
        pid = os.fork()
        if pid == 0:
            orders.close()
            _become(order, fds)
        for fd in fds:
            os.close(fd)
        orders.sendall(b"%d\n" % pid)
        _, status = os.waitpid(pid, 0)
        orders.sendall(b"%d\n" % status)


def _become(order: dict[str, Any], fds: list[int]) -> NoReturn:
    """Run the program, and end with it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, fd in enumerate(fds):
        os.dup2(fd, number)
        os.close(fd)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    sys.argv = [order["file"] or MODULE, *order["words"]]
    code = 1
    try:
        if order["file"]:
            runpy.run_path(order["file"], run_name="__main__")
        else:
            runpy.run_module(MODULE, run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        with contextlib.suppress(OSError):
            sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
