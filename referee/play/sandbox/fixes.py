"""The one command that mends what a host lacks, as this system (/etc/os-release) and this user have to give it."""

import os
import platform
from collections.abc import Mapping
from pathlib import Path

from referee.play.sandbox.system_info import number

_FEDORA = {"libseccomp2": "libseccomp", "uidmap": "shadow-utils"}
_SYSTEMS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "debian": ("apt install", {}),
    "ubuntu": ("apt install", {}),
    "fedora": ("dnf install", _FEDORA),
    "rhel": ("dnf install", _FEDORA),
    "arch": ("pacman -S", {"libseccomp2": "libseccomp", "uidmap": "shadow"}),
    "suse": ("zypper install", {"uidmap": "shadow"}),
}
"""For each system and those that are like it: what installs packages, and which have another name than in Debian."""

_REFUSING = (
    ("kernel.apparmor_restrict_unprivileged_userns", 1, 0),
    ("kernel.unprivileged_userns_clone", 0, 1),
    ("user.max_user_namespaces", 0, 15000),
)
"""Settings of the kernel: the value that refuses user namespaces, and one that allows them. The last binds root too."""

_BWRAP_PROFILE = Path("/etc/apparmor.d/bwrap-userns-restrict")
"""A profile of Ubuntu's that takes all rights from what bwrap runs, so that a bot cannot become its own user there."""


def install(*packages: str) -> str:
    """The command that installs packages, which are named as Debian names them."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        release = {}
    for system in (release.get("ID", ""), *release.get("ID_LIKE", "").split()):
        if system in _SYSTEMS:
            command, names = _SYSTEMS[system]
            return as_root(" ".join([command, *(names.get(name, name) for name in packages)]))
    return f"install {', '.join(packages)} (so Debian names the packages)"


def as_root(command: str) -> str:
    """The command as this user has to give it."""
    return command if os.geteuid() == 0 else f"sudo {command}"


def parameter(name: str) -> int | None:
    """What a parameter of the kernel is set to; None where there is no such parameter, or no number."""
    return number(f"/proc/sys/{name.replace('.', '/')}")


def setting(name: str, value: int | str) -> str:
    """The command that sets a parameter of the kernel, until the host is started again."""
    return as_root(f"sysctl -w {name}={value}")


def allow_user_namespaces() -> str | None:
    """The command that lets this user have user namespaces; None where no setting of the kernel refuses them."""
    for name, refused, allowed in _REFUSING if os.geteuid() != 0 else _REFUSING[-1:]:
        if parameter(name) == refused:
            return setting(name, allowed)
    return None


def allow_other_users_in_cells() -> str | None:
    """The command that lets a bot become its own user in its cell; None where nothing that is known here refuses it."""
    unload = as_root(f"apparmor_parser -R {_BWRAP_PROFILE}") if _BWRAP_PROFILE.exists() else None
    return allow_user_namespaces() or unload


def delegate_group() -> str:
    """The command that lets golfref make control groups of version 2 where systemd runs."""
    if os.geteuid() == 0:
        return "systemd-run --scope -p Delegate=yes golfref ..."
    if not Path(f"/run/user/{os.geteuid()}").is_dir():  # no systemd of this user runs, as after `su`
        return f"sudo loginctl enable-linger {os.geteuid()}"
    return "systemd-run --user --scope -p Delegate=yes golfref ..."
