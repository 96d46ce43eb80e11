"""Signatures over the sums of a bundle, made and checked by ssh-keygen.

No cryptography is done here. ssh-keygen reads the private key and asks for its passphrase on the terminal.
"""

import re
import shutil
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory

from protocol.text import printable
from referee.bundle.readme import SIGNATURE
from referee.errors import GolfrefError

NAMESPACE = "golfref"
"""A signature that was made for another namespace does not count."""

TIMEOUT_S = 60
"""How long ssh-keygen may take to check a signature."""

_MOST_KEY_BYTES = 1 << 16
_PRIVATE = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
_PUBLIC = re.compile(r"(?:ssh|ecdsa-sha2|sk-ssh|sk-ecdsa-sha2)-[A-Za-z0-9@.-]+ [A-Za-z0-9+/]+=*(?: .*)?")
_GOOD = re.compile(r"with ([A-Z0-9-]+ key SHA256:[A-Za-z0-9+/]+)")


class BadKey(GolfrefError):
    """A key that cannot be used. The text says why and what to do."""


class BadSignature(Exception):
    """A signature that does not hold. The text says why."""


class NoProgram(Exception):
    """ssh-keygen is not installed."""


def check_key(key: Path) -> None:
    """Check before a bundle is made that it can be signed with this key. Raises BadKey."""
    lines = _lines(key)
    if not lines or not (_PRIVATE.match(lines[0]) or (len(lines) == 1 and _PUBLIC.fullmatch(lines[0]))):
        what = "expected a private key of ssh, or the public key of one that ssh-agent holds"
        raise BadKey(f"{_shown(key)}: {what}; `ssh-keygen -t ed25519 -f FILE` makes a key")
    try:
        _program()
    except NoProgram as error:
        raise BadKey(f"{_shown(key)}: {error}") from None


def sign(key: Path, sums: Path, held: Callable[[], AbstractContextManager[None]]) -> str:
    """Write the signature beside the sums, and check it. Returns the fingerprint of the key. Raises BadKey.

    Within `held` an interrupt is only noted: Ctrl-C at the prompt for the passphrase ends ssh-keygen.
    """
    command = [_program(), "-q", "-Y", "sign", "-n", NAMESPACE, "-f", str(key.absolute()), str(sums.absolute())]
    with held():
        done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise BadKey(f"{_shown(key)}: ssh-keygen did not sign (exit code {done.returncode}); see its message above")
    try:
        return fingerprint_of(sums)
    except BadSignature as error:
        raise BadKey(f"{_shown(key)}: {error}") from None


def fingerprint_of(sums: Path) -> str:
    """The fingerprint of the key that signed these sums. Raises BadSignature and NoProgram."""
    fingerprint = _checked("check-novalidate", sums)
    if fingerprint is None:
        raise BadSignature(f"{SIGNATURE}: it is not a signature of these sums")
    return fingerprint


def check_signer(sums: Path, keys: tuple[str, ...]) -> str:
    """The fingerprint of the key that signed these sums, which is one of `keys`. Raises BadSignature and NoProgram."""
    with TemporaryDirectory(prefix="golfref-") as folder:
        signers = Path(folder, "signers")
        signers.write_text("".join(f'{NAMESPACE} namespaces="{NAMESPACE}" {key}\n' for key in keys))
        fingerprint = _checked("verify", sums, "-f", str(signers), "-I", NAMESPACE)
    if fingerprint is None:
        raise BadSignature(f"{SIGNATURE}: it was made with another key, {fingerprint_of(sums)}")
    return fingerprint


def read_public_keys(path: Path) -> tuple[str, ...]:
    """The public keys in a file, one a line. Raises BadKey."""
    lines = tuple(line for line in _lines(path) if line and not line.startswith("#"))
    if not lines or not all(map(_PUBLIC.fullmatch, lines)):
        raise BadKey(f"{_shown(path)}: expected a public key of ssh (ssh-ed25519 AAAA...)")
    return lines


def _checked(how: str, sums: Path, *more: str) -> str | None:
    """The fingerprint that ssh-keygen prints of a good signature; None of another one."""
    command = [_program(), "-Y", how, "-n", NAMESPACE, "-s", str(sums.with_name(SIGNATURE).absolute()), *more]
    try:
        with sums.open("rb") as file:
            done = subprocess.run(command, stdin=file, capture_output=True, check=False, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return None
    found = _GOOD.search(done.stdout.decode(errors="replace"))
    return found[1] if found and not done.returncode else None


def _program() -> str:
    if (program := shutil.which("ssh-keygen")) is None:
        raise NoProgram("ssh-keygen is not installed; on Debian and Ubuntu `sudo apt-get install openssh-client`")
    return program


def _lines(path: Path) -> list[str]:
    try:
        if not path.is_file():
            raise BadKey(f"{_shown(path)}: there is no such file")
        with path.open("rb") as file:
            return [line.strip() for line in file.read(_MOST_KEY_BYTES).decode(errors="replace").splitlines()]
    except OSError as error:
        raise BadKey(f"{_shown(path)}: cannot be read: {error.strerror}") from None


def _shown(path: Path) -> str:
    return printable(str(path), 300)
