"""Reads the data of matches out of the scripts and pages of a site."""

import codecs
import re
import zlib
from pathlib import Path


def text_of(path: Path) -> str:
    """What a file of a site says; the data of matches are UTF-16, which their first bytes tell."""
    data = path.read_bytes()
    if data.startswith(codecs.BOM_UTF16_LE):
        return data.decode("utf-16")
    return data.decode("utf-8", "replace")


def data_in(text: str) -> dict[str, str]:
    """By view the JSON that scripts in a text hand to the viewer."""
    found = re.findall(r'golfref\.receive\("(\w+)", (\d+), "([^"]*)"\);', text)
    return {
        view: zlib.decompress(_bytes(letters, int(count)), -zlib.MAX_WBITS).decode() for view, count, letters in found
    }


def _bytes(letters: str, count: int) -> bytes:
    """The bytes that stand in the letters, 15 bits each."""
    bits = "".join(f"{ord(letter) - 0x3400:015b}" for letter in letters)
    return int(bits[: 8 * count], 2).to_bytes(count, "big")
