"""A user id of its own for every bot in a cell, so that nothing that the kernel counts for a user is shared.

Root takes ids that no account has. An ordinary user lends subordinate ids (/etc/subuid, /etc/subgid): for each of them
newuidmap makes a user namespace of two users, the organiser as root and the bot, which bubblewrap enters. The referee
keeps the namespace for its next bot, which costs less than to make one. This module must not know what a bot runs.
"""

import functools
import os
import pwd
import select
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from referee.lock_file import try_lock, users_folder
from referee.play.faults import HostFault, Missing, hosts_fault
from referee.play.sandbox.fixes import allow_other_users_in_cells, as_root, install
from referee.play.sandbox.paths import PATH
from referee.play.sandbox.system_info import text
from referee.play.sandbox.trial import trial_problem

ROOTS_IDS = range(1 << 30, (1 << 30) + (1 << 20))
"""The user ids that root gives to its bots; no account has them."""

NOBODY = 65000
"""The user and group id that a bot sees as its own where the referee is an ordinary user."""

_IDS_APART = 1024
"""How many ids lie between those of one container and those of another."""

PATIENCE_S = 20.0
"""How long the making of a namespace may take, which looks up the user's ids."""

_KEPT = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
"""The rights that setpriv needs in a cell to become the bot's user."""

_HOLD = "{ echo 0 > /proc/sys/user/max_user_namespaces; } 2> /dev/null; echo; read -r _"
"""What runs in a new namespace until the referee has opened it. It forbids namespaces within, as seccomp does too."""


class BotUser(Struct, frozen=True, kw_only=True):
    """Whom a bot runs as."""

    uid: int
    """Its user and group id, as its user namespace counts."""
    host_uid: int
    """The same user's id, as the host counts."""
    namespace: int | None
    """The descriptor of that user namespace, which stays open; None where it is the referee's own."""

    @property
    def descriptors(self) -> tuple[int, ...]:
        """What bubblewrap must inherit to enter the namespace."""
        return () if self.namespace is None else (self.namespace,)


_free: list[BotUser] = []
"""Users whose bots are gone."""

_in_use: set[BotUser] = set()


def lock_of(uid: int) -> Path:
    """The file that is locked by the referee whose bot has this user id of the host; raises OSError."""
    return users_folder() / f"golfref-uid-{uid}.lock"


def entering(user: BotUser) -> list[str]:
    """The options by which bubblewrap starts in the user's namespace, with the rights to become the user there."""
    rights = ["--cap-drop", "ALL", *(word for name in _KEPT for word in ("--cap-add", name))]
    if user.namespace is None:
        return rights
    namespace = str(user.namespace)
    # Of all descriptors it would leave this one open. So we also let it wait for input from it, upon which it closes
    # it: a namespace has no input, and to fail to read it counts as well.
    return ["--userns", namespace, "--block-fd", namespace, "--uid", "0", "--gid", "0", *rights]


def take_user() -> BotUser | None:
    """A user that is no other bot's on this host until `give_back`, however many referees run.

    None where an ordinary user has no ids to lend. Raises HostFault where all are in use.
    """
    if why_none() is not None:
        return None
    user = _free.pop() if _free else _new_user()
    _in_use.add(user)
    return user


def give_back(user: BotUser | None) -> None:
    """Make the user of a bot that is gone free for another."""
    if user in _in_use:
        _in_use.remove(user)
        _free.append(user)


@functools.cache
def why_none() -> Missing | None:
    """Why bots in a cell have no user ids of their own, tried out once; None where they have.

    Raises HostFault where the host has no room for the trial, so that no bot loses its id because of that.
    """
    if os.geteuid() == 0:
        return None
    try:
        user = _new_user()
        _try_out(user)
    except Missing as gap:
        return gap
    _free.append(user)
    return None


def _new_user() -> BotUser:
    """A user that this referee has not had yet; raises Missing and HostFault."""
    with hosts_fault():
        if os.geteuid() == 0:
            uid, _, _ = _claimed([ROOTS_IDS], [ROOTS_IDS])
            return BotUser(uid=uid, host_uid=uid, namespace=None)
        uid, gid, lock = _claimed(*(_subordinate_ids(file) for file in ("/etc/subuid", "/etc/subgid")))
        try:
            namespace = _new_namespace(uid, gid)
        except BaseException:
            os.close(lock)
            raise
        return BotUser(uid=NOBODY, host_uid=uid, namespace=namespace)


def _claimed(uids: Sequence[range], gids: Sequence[range]) -> tuple[int, int, int]:
    """A user id and a group id that are this process's alone, and the lock that it holds on them while it lives.

    Raises HostFault and OSError.
    """
    count = min(sum(map(len, uids)), sum(map(len, gids)))
    # Containers that share no file for the lock start at different places.
    first = os.stat("/proc/self/ns/pid").st_ino * _IDS_APART
    for step in range(count):
        uid, gid = (_of(ids, (first + step) % count) for ids in (uids, gids))
        if (lock := try_lock(lock_of(uid))) is not None:
            return uid, gid, lock
    raise HostFault(f"all {count} user ids that bots may have are in use; use fewer `jobs`")


# Subordinate ids


def _of(ids: Sequence[range], place: int) -> int:
    """The id at this place of all."""
    for some in ids:
        if place < len(some):
            return some[place]
        place -= len(some)
    raise IndexError(place)


def _subordinate_ids(file: str) -> list[range]:
    """The ids that this file lends to our user; raises Missing where there are none."""
    own = os.geteuid()
    try:
        name = pwd.getpwuid(own).pw_name
    except KeyError:
        raise Missing(f"no account has the user id {own}", "run golfref as a user that has an account") from None
    ids = [lent for owner, lent in _lent(file) if owner in {name, str(own)} and lent]
    if not ids:
        start = max([100_000, *(lent.stop for other in ("/etc/subuid", "/etc/subgid") for _, lent in _lent(other))])
        wanted = f"{start}-{start + 65535}"
        remedy = as_root(f"usermod --add-subuids {wanted} --add-subgids {wanted} {name}")
        raise Missing(f"{file} lends no ids to the user {name}", remedy)
    return ids


def _lent(file: str) -> Iterator[tuple[str, range]]:
    """To whom the file lends which ids; see subuid(5)."""
    for line in (text(Path(file)) or "").splitlines():
        owner, _, ids = line.partition(":")
        first, _, count = ids.partition(":")
        if first.isdigit() and count.isdigit():
            yield owner, range(int(first), int(first) + int(count))


# Namespaces


def _new_namespace(uid: int, gid: int) -> int:
    """The descriptor of a user namespace in which these ids are NOBODY's and root is our user; raises Missing."""
    if shutil.which("newuidmap", path=PATH) is None:
        raise Missing("newuidmap is not installed", install("uidmap"))
    maps = ["--map-root-user", f"--map-users={uid},{NOBODY},1", f"--map-groups={gid},{NOBODY},1"]
    hold = ["unshare", *maps, "sh", "-c", _HOLD]
    read, write = os.pipe()
    with os.fdopen(read, "rb", buffering=0) as said:
        with os.fdopen(write, "wb") as end:
            holder = subprocess.Popen(hold, stdin=subprocess.PIPE, stdout=end, stderr=end, env={"PATH": PATH})
        with holder:  # which closes its input
            try:
                answer = select.poll()  # which takes descriptors of any number
                answer.register(said)
                word = said.read(4096) if answer.poll(1000 * PATIENCE_S) else b"no answer"
                if word == b"\n":
                    return os.open(f"/proc/{holder.pid}/ns/user", os.O_RDONLY)
            finally:
                holder.kill()
    raise _cannot(" ".join(word.decode(errors="replace").split()))


def _try_out(user: BotUser) -> None:
    """Become this user in its namespace as a bot does; raises Missing where that fails."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise Missing("bubblewrap is not installed", install("bubblewrap"))
    become = ["setpriv", f"--reuid={user.uid}", f"--regid={user.uid}", "--clear-groups", "true"]
    command = [bwrap, *entering(user), "--ro-bind", "/", "/", "--", *become]
    if problem := trial_problem(command, passed=user.descriptors):
        raise _cannot(problem)


def _cannot(why: str) -> Missing:
    return Missing(
        f"a user namespace with ids of its own cannot be made or entered ({why})",
        allow_other_users_in_cells() or "install util-linux 2.38 or later (tournaments/ISOLATION.md says more)",
    )
