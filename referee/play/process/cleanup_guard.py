"""A small process that outlives a referee that is killed, and ends the bots that it leaves behind.

Most bots end by themselves when their input ends. But one that is frozen while another is timed (race.py) cannot see
that, and would stay for ever. The guard reads the number of each bot's process group, and kills those that are left
when its own input ends. It must not know what a bot is.
"""

import contextlib
import os
import subprocess
from collections.abc import Iterator

_SCRIPT = """
groups=" "
while read -r word group; do
    case $word in
        watch) groups="$groups$group " ;;
        forget) groups="${groups%% $group *} ${groups#* $group }" ;;
    esac
done
case $groups in *[0-9]*) ;; *) exit ;; esac  # all are gone; else every process of the host would be looked at
for group in $groups; do kill -s KILL -- "-$group"; done
# What left its bot's process group, but not its session; not everywhere is there a /proc.
for file in /proc/[0-9]*/stat; do
    text=
    while read -r part; do text="$text $part"; done < "$file"
    set -- ${text##*)}
    case $groups in *" $4 "*) file=${file%/stat}; kill -s KILL "${file#/proc/}" ;; esac
done
"""

_guards: list["subprocess.Popen[bytes]"] = []
"""The one that runs, if there is one."""


@contextlib.contextmanager
def cleanup_guard() -> Iterator[int]:
    """A guard for the duration of the block; yields its process id."""
    process = subprocess.Popen(
        ["/bin/sh", "-c", _SCRIPT],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={},
        start_new_session=True,
        bufsize=0,
    )
    _guards.append(process)
    try:
        yield process.pid
    finally:
        _guards.remove(process)
        process.communicate()


def watch(group: int) -> None:
    """Send the guard the number of a process group that a bot leads from now on."""
    _send("watch", group)


def forget(group: int) -> None:
    """Send the guard the number of a process group that is gone."""
    _send("forget", group)


def _send(word: str, group: int) -> None:
    for process in _guards:
        if process.stdin is not None:
            with contextlib.suppress(OSError):  # it may have been killed itself
                os.write(process.stdin.fileno(), f"{word} {group}\n".encode())
