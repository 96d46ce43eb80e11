"""The data of a view as a classic script that hands it to the viewer, so that a page from file:// can load it.

The data are JSON, compressed by deflate. A character of the script holds 15 bits of that: a file is UTF-16, where each
takes 16 bits, so that it is a fifth smaller than with base64.
"""

import codecs
import zlib

import numpy as np

FIRST = 0x3400
"""The character for 15 bits that are 0. From here on 32,768 are neither quotes nor controls nor surrogates."""

BITS = 15


def data_script(view: str, packed: bytes) -> str:
    """The script that hands over the data of a view, with how many bytes they are."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL + 1)
    data = packer.compress(packed) + packer.flush()
    return f'golfref.receive("{view}", {len(data)}, "{_letters(data)}");\n'


def as_file(script: str) -> bytes:
    """The script as it stands in a file. Browsers tell by the mark at its beginning that it is UTF-16."""
    return codecs.BOM_UTF16_LE + script.encode("utf-16-le")


def _letters(data: bytes) -> str:
    bits = np.unpackbits(np.frombuffer(data, np.uint8))
    groups = np.pad(bits, (0, -len(bits) % BITS)).reshape(-1, BITS)
    letters = groups @ (1 << np.arange(BITS)[::-1]) + FIRST
    return letters.astype("<u2").tobytes().decode("utf-16-le")
