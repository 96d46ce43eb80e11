"""Signatures over the sums of a bundle, by programs that people have already: ssh-keygen and minisign.

No cryptography is done here but SHA-256. A private key is only named to the program that knows what to do with it,
which asks for its passphrase on the terminal.
"""

import base64
import binascii
import os
import re
import shutil
import stat
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from msgspec import Struct

from protocol.text import printable
from referee.competition.publishing.bundle import MINISIGN_SIGNATURE, SSH_SIGNATURE, NotPublished, shown

Kind = Literal["ssh", "minisign"]

PROGRAMS: dict[Kind, str] = {"ssh": "ssh-keygen", "minisign": "minisign"}
SIGNATURES: dict[Kind, str] = {"ssh": SSH_SIGNATURE, "minisign": MINISIGN_SIGNATURE}

NAMESPACE = "golfref"
"""What a signature of ssh-keygen is for: one that was made for something else does not count here."""

MOST_KEY_BYTES = 1 << 16
"""How long a file with a key or a signature may be."""

PATIENCE_S = 60
"""How long a program may take to check a signature."""

_PACKAGES: dict[Kind, str] = {"ssh": "openssh-client", "minisign": "minisign"}
_SSH_PUBLIC = re.compile(r"((?:ssh|ecdsa-sha2|sk-ssh|sk-ecdsa-sha2)-[A-Za-z0-9@.-]+) ([A-Za-z0-9+/]+=*)(?: .*)?")
_SSH_PRIVATE = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
_SSH_SIGNATURE = re.compile(r"-----BEGIN SSH SIGNATURE-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END SSH SIGNATURE-----\s*")
_MINISIGN_COMMENT = "untrusted comment:"
_MINISIGN_PUBLIC_BYTES = 42
_MINISIGN_SECRET_BYTES = 158


class BadKey(NotPublished):
    """A key that cannot be used. The text says why and what to do."""


class PublicKeys(Struct, frozen=True, kw_only=True):
    """Public keys of a file, any of which may be the signer's."""

    kind: Kind
    lines: tuple[str, ...]
    """Of ssh the type and the key, of minisign the key, in base64."""


class Signed(Struct, frozen=True, kw_only=True):
    """Who has signed."""

    kind: Kind
    key: str
    """The line of the public key, without a comment."""

    @property
    def fingerprint(self) -> str:
        """The key as people compare it: of ssh its fingerprint, of minisign the key itself, which is short."""
        if self.kind == "minisign":
            return f"minisign key {self.key}"
        type_, data = self.key.split(" ")
        digest = base64.b64encode(sha256(base64.b64decode(data)).digest()).decode().rstrip("=")
        return f"{type_} key SHA256:{digest}"


class Unsigned(Exception):
    """A signature that does not hold. The text says why."""


class NoProgram(Exception):
    """The program that checks such a signature is not installed. The text says how to get it."""


class Signer:
    """A key with which a person signs. Raises BadKey where it is none, or its program is not there."""

    def __init__(self, key: Path, held: Callable[[], AbstractContextManager[None]]) -> None:
        """Within `held` an interrupt is only noted: whoever is asked for a passphrase ends that program by Ctrl-C."""
        self.key = key
        self.kind = _kind_of(key)
        self._held = held
        self._program = shutil.which(PROGRAMS[self.kind])
        if self._program is None:
            raise BadKey(
                f"{shown(key)} is a key of {PROGRAMS[self.kind]}, which is not installed; {_how_to_get(self.kind)}"
            )
        self._public = _public_beside(key) if self.kind == "minisign" else None

    def sign(self, sums: Sequence[Path]) -> Signed:
        """Write a signature beside each of these files, and check it. Raises BadKey."""
        program = str(self._program)
        if self.kind == "ssh":
            command = [program, "-q", "-Y", "sign", "-n", NAMESPACE, "-f", str(self.key.absolute())]
        else:
            command = [program, "-S", "-s", str(self.key.absolute()), "-t", NAMESPACE, "-m"]
        with self._held(), _terminal():
            told = subprocess.run([*command, *map(str, sums)], stdout=subprocess.DEVNULL, check=False)
        targets = [one.with_name(SIGNATURES[self.kind]) for one in sums]
        if told.returncode or not all(target.is_file() for target in targets):
            what = f"{PROGRAMS[self.kind]} did not sign with {shown(self.key)} (exit code {told.returncode})"
            raise BadKey(f"{what}; see what it said above")
        try:
            signed = [self._checked(*pair) for pair in zip(sums, targets, strict=True)]
        except (Unsigned, NoProgram) as error:
            raise BadKey(f"{shown(self.key)}: the signature does not hold: {error}") from None
        return signed[0]

    def _checked(self, sums: Path, target: Path) -> Signed:
        target.chmod(0o644)
        return check_signature(self.kind, sums.read_bytes(), target.read_bytes(), self._public)


def check_signature(kind: Kind, sums: bytes, signature: bytes, keys: PublicKeys | None) -> Signed:
    """Who signed these sums. Raises Unsigned where the signature does not hold, or is of none of the keys.

    Without keys a signature of minisign cannot be checked, and one of ssh only shows which key made it.
    """
    program = shutil.which(PROGRAMS[kind])
    if program is None:
        raise NoProgram(f"{PROGRAMS[kind]} is not installed; {_how_to_get(kind)}")
    if keys is not None and keys.kind != kind:
        raise Unsigned(f"it is one of {PROGRAMS[kind]}, and the key is one of {PROGRAMS[keys.kind]}")
    with TemporaryDirectory(prefix="golfref-") as folder:
        place = Path(folder)
        place.joinpath("sums").write_bytes(sums)
        place.joinpath("signature").write_bytes(signature)
        if kind == "minisign":
            return _checked_by_minisign(program, place, keys)
        return _checked_by_ssh(program, place, signature, keys)


def _checked_by_ssh(program: str, place: Path, signature: bytes, keys: PublicKeys | None) -> Signed:
    key = _key_in(signature)
    checking = ["-Y", "check-novalidate"]
    if keys is not None:
        lines = (f'{NAMESPACE} namespaces="{NAMESPACE}" {line}\n' for line in keys.lines)
        place.joinpath("signers").write_text("".join(lines))
        checking = ["-Y", "verify", "-f", str(place / "signers"), "-I", NAMESPACE]
    if not _holds([program, *checking, "-n", NAMESPACE, "-s", str(place / "signature")], place / "sums"):
        made_by = Signed(kind="ssh", key=key).fingerprint
        if keys is not None and key not in keys.lines:
            raise Unsigned(f"it was made with another key, {made_by}")
        raise Unsigned(f"it is not one of these sums for `{NAMESPACE}`; it claims to be of the {made_by}")
    return Signed(kind="ssh", key=key)


def _checked_by_minisign(program: str, place: Path, keys: PublicKeys | None) -> Signed:
    for key in () if keys is None else keys.lines:
        command = [program, "-V", "-q", "-m", str(place / "sums"), "-x", str(place / "signature"), "-P", key]
        if _holds(command, None):
            return Signed(kind="minisign", key=key)
    if keys is None:
        raise Unsigned("minisign needs the public key, which is not there")
    raise Unsigned(f"it is not one of these sums by the key {keys.lines[0]}")


def _holds(command: list[str], stdin: Path | None) -> bool:
    with open(os.devnull if stdin is None else stdin, "rb") as file:
        try:
            told = subprocess.run(command, stdin=file, capture_output=True, check=False, timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            return False
    return told.returncode == 0


def public_line(signed: Signed) -> bytes:
    """What `signer.pub` holds."""
    if signed.kind == "ssh":
        return f"{signed.key}\n".encode()
    return f"{_MINISIGN_COMMENT} minisign public key\n{signed.key}\n".encode()


def read_public_keys(data: bytes, where: str) -> PublicKeys:
    """The public keys in a file: lines of ssh keys, or one key of minisign. Raises BadKey."""
    text = data[:MOST_KEY_BYTES].decode(errors="replace")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    found = [_SSH_PUBLIC.fullmatch(line) for line in lines]
    if lines and all(found):
        return PublicKeys(kind="ssh", lines=tuple(f"{one[1]} {one[2]}" for one in found if one))
    keys = [line for line in lines if not line.startswith(_MINISIGN_COMMENT)]
    if len(keys) == 1 and len(_unpacked(keys[0])) == _MINISIGN_PUBLIC_BYTES:
        return PublicKeys(kind="minisign", lines=(keys[0],))
    raise BadKey(f"{where}: expected a public key of ssh (ssh-ed25519 AAAA...) or of minisign")


def _kind_of(key: Path) -> Kind:
    """Which program signs with this file. Raises BadKey."""
    try:
        if not stat.S_ISREG(key.stat().st_mode):
            raise BadKey(f"{shown(key)} is no file; name the file of a private key")
        with key.open("rb") as file:
            text = file.read(MOST_KEY_BYTES).decode(errors="replace")
    except OSError as error:
        raise BadKey(f"{shown(key)}: cannot be read: {error.strerror}") from None
    if _SSH_PRIVATE.search(text) or _SSH_PUBLIC.fullmatch(text.strip()):
        return "ssh"  # of a public key the private one may be with an agent
    lines = text.splitlines()
    size = len(_unpacked(lines[1])) if len(lines) > 1 and lines[0].startswith(_MINISIGN_COMMENT) else 0
    if size == _MINISIGN_SECRET_BYTES:
        return "minisign"
    if size == _MINISIGN_PUBLIC_BYTES:
        raise BadKey(f"{shown(key)} is a public key of minisign; name the file of the secret one")
    raise BadKey(f"{shown(key)} is no private key of ssh or minisign; `ssh-keygen -t ed25519 -f FILE` makes one")


def _public_beside(key: Path) -> PublicKeys:
    """The public key of a secret one of minisign, which lies beside it. Raises BadKey."""
    beside = key.with_suffix(".pub")
    try:
        found = read_public_keys(beside.read_bytes(), shown(beside))
    except OSError as error:
        again = f"minisign -R -s {key} -p {beside}"
        what = f"the public key of {key} is published too; it is expected here ({error.strerror})"
        raise BadKey(f"{shown(beside)}: {what}; `{printable(again, 300)}` makes it again") from None
    if found.kind != "minisign":
        raise BadKey(f"{shown(beside)}: expected the public key of {shown(key)}")
    return found


def _key_in(signature: bytes) -> str:
    """The public key that a signature of ssh holds, as a line. Raises Unsigned."""
    found = _SSH_SIGNATURE.fullmatch(signature.decode(errors="replace"))
    data = _unpacked("".join(found[1].split())) if found else b""
    try:
        if data[:6] != b"SSHSIG" or data[6:10] != b"\0\0\0\1":
            raise ValueError
        blob = _string(data[10:])
        type_ = _string(blob).decode("ascii")
    except ValueError:
        raise Unsigned("it is no signature of ssh-keygen") from None
    line = f"{type_} {base64.b64encode(blob).decode()}"
    if not _SSH_PUBLIC.fullmatch(line):
        raise Unsigned("it is no signature of ssh-keygen")
    return line


def _string(data: bytes) -> bytes:
    """The string at the beginning, after its length in four bytes (RFC 4251). Raises ValueError."""
    size = int.from_bytes(data[:4], "big")
    if len(data) < 4 + size:
        raise ValueError("cut off")
    return data[4 : 4 + size]


def _unpacked(text: str) -> bytes:
    try:
        return base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _how_to_get(kind: Kind) -> str:
    return f"on Debian and Ubuntu `sudo apt-get install {_PACKAGES[kind]}` brings it"


@contextmanager
def _terminal() -> Iterator[None]:
    """Leave the terminal as it was: a program that is ended while it asks for a passphrase may leave it mute."""
    try:
        before = termios.tcgetattr(sys.stdin.fileno())
    except (termios.error, ValueError, OSError):
        yield
        return
    try:
        yield
    finally:
        with suppress(termios.error):
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, before)
