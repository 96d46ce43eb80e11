"""The signature of a bundle, or of an author's part of one: who made its sums."""

from msgspec import Struct

from referee.competition.publishing.bundle import PUBLIC_KEY, SUMS
from referee.competition.publishing.reading import MOST_SUMS_BYTES, Broken, BundleFolder
from referee.competition.publishing.signing import (
    MOST_KEY_BYTES,
    SIGNATURES,
    BadKey,
    Kind,
    NoProgram,
    PublicKeys,
    Signed,
    Unsigned,
    check_signature,
    read_public_keys,
)

_WHOSE = (
    "note: signed by the {fingerprint}, whose public key came with it: only a comparison with one that the "
    "organiser has published elsewhere says whose it is (--signer FILE.pub)"
)
_NOBODY = (
    "note: nobody has signed it. Whoever can change its files can make all of it anew, with its sums: only --digest "
    "and --results tell whether it is the run that was published"
)


class Seal(Struct, frozen=True, kw_only=True):
    """What came of checking a signature, in lines."""

    findings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()


def check_seal(folder: BundleFolder, keys: PublicKeys | None) -> Seal:
    """Check the signature in a folder, if it has one, and whether it is of one of these keys."""
    kinds = [kind for kind, name in SIGNATURES.items() if folder.has(name)]
    if not kinds and keys is None:
        return Seal(notes=(_NOBODY,))
    try:
        if len(kinds) != 1:
            names = list(SIGNATURES.values())
            nobody = f"nobody has signed it: there is no {' or '.join(names)}"
            raise Unsigned(nobody if not kinds else f"there are {' and '.join(names)}; golfref makes one of them")
        signed = _signed(folder, kinds[0], keys)
    except (BadKey, Broken, Unsigned) as error:
        return Seal(findings=(str(error),))
    except NoProgram as error:
        return Seal(unchecked=(f"its signature, since {error}",))
    if keys is None:
        return Seal(notes=(_WHOSE.format(fingerprint=signed.fingerprint),))
    return Seal(same=(f"it was signed by the {signed.fingerprint}, as expected",))


def _signed(folder: BundleFolder, kind: Kind, keys: PublicKeys | None) -> Signed:
    """Who signed: one of the keys, and also the one beside the signature."""
    sums, signature = folder.read(SUMS, MOST_SUMS_BYTES), folder.read(SIGNATURES[kind], MOST_KEY_BYTES)
    beside = read_public_keys(folder.read(PUBLIC_KEY, MOST_KEY_BYTES), PUBLIC_KEY)
    try:
        signed = check_signature(kind, sums, signature, beside)
        return signed if keys is None else check_signature(kind, sums, signature, keys)
    except Unsigned as error:
        raise Unsigned(f"{SIGNATURES[kind]}: {error}") from None
