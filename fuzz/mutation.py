"""Makes damaged input of good input: bytes flipped, cut, repeated, spliced, and pieces that parsers trip over."""

from __future__ import annotations

import random
from collections.abc import Sequence

PIECES = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\xe2\x80\xae", b"\xf0\x9f\x8c\x8a",
    b"\xd9\xa7", b"\xef\xbc\x97", b"\r", b"\n\n", b"\t", b'"', b"'", b"\\", b"{", b"}", b"[", b"]", b"[[", b"]]",
    b"<", b">", b"&", b"#", b",", b";", b"=", b":", b"|", b"/", b"*", b"`", b"```", b"-", b"+",
    b"null", b"true", b"NaN", b"Infinity", b"-0", b"1e999", b"-1", b"0.1", b"9007199254740993", b"99999999999999999999",
    b"\\ud800", b"\\u0000", b"10/10", b"[[7]]", b"Score: ", b"9 out of 10", b"left", b"both_bad", b"env:",
    b"../", b"'; --", b"{{7*7}}", b"%s", b"{0}",
    b"[" * 600, b'{"a":' * 300, b"(" * 400, b"x" * 3000, b"1" * 3000,
)  # fmt: skip


def damaged(seeds: Sequence[bytes], chance: random.Random) -> bytes:
    """One of the seeds after one to six changes."""
    data = bytearray(chance.choice(seeds))
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(7):
            case 0 if data:
                data[at % len(data)] = chance.randrange(256)
            case 1:
                del data[at : at + chance.randint(1, 30)]
            case 2:
                del data[at:]
            case 3:
                data[at:at] = data[at : at + chance.randint(1, 40)] * chance.randint(1, 4)
            case 4:
                other = chance.choice(seeds)
                cut = chance.randrange(len(other) + 1)
                data[at:] = other[cut:]
            case _:
                data[at:at] = chance.choice(PIECES)
    return bytes(data)
