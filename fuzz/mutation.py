"""Makes damaged input of good input, in two ways.

Values are put in the place of other values, so that the form stays and the sense goes; or bytes are flipped, cut,
repeated and spliced, and pieces put in that parsers trip over.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

PIECES = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\xe2\x80\xae", b"\xf0\x9f\x8c\x8a",
    b"\xd9\xa7", b"\xef\xbc\x97", b"\r", b"\n\n", b"\t", b'"', b"'", b"\\", b"{", b"}", b"[", b"]", b"[[", b"]]",
    b"<", b">", b"&", b"#", b",", b";", b"=", b":", b"|", b"/", b"*", b"`", b"```", b"-", b"+", b"+++\n",
    b"null", b"true", b"NaN", b"Infinity", b"-0", b"1e999", b"-1", b"0.1", b"9007199254740993", b"99999999999999999999",
    b"\\ud800", b"\\u0000", b"10/10", b"[[7]]", b"Score: ", b"9 out of 10", b"left", b"both_bad", b"env:",
    b"../", b"'; --", b"{{7*7}}", b"%s", b"{0}", b"[]", b"{}", b'""', b"1979-05-27T07:32:00Z", b"00:00:60",
)  # fmt: skip

BOMBS = (b"[" * 600, b'{"a":' * 300, b"(" * 400, b"x" * 3000, b"1" * 3000, b"[[a.b.c]]\n" * 60, b"| 1 " * 400)
"""Deep and long pieces. Rare, because each takes as long to read as a hundred others."""

BOMB_EVERY = 150
"""Changes to one bomb."""


VALUE = re.compile(
    rb'(?:"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:e-?\d+)?|\[[^\[\]]*\]|\{[^{}]*\}|\b\w+\b(?!\s*[\].-]))(?!\s*[:=])'
)
"""What JSON, TOML, tables and prose are made of: strings, numbers, words, the innermost lists and tables. No names of
columns: those are torn often enough."""

VALUES = (
    b"null", b"true", b"false", b"0", b"-1", b"1", b"7", b"0.5", b"1e308", b"1e999", b"-0.0", b"NaN", b"nan", b"inf",
    b"9007199254740993", b"-99999999999999999999", b"1" * 400, b'""', b'" "', b'"a"', b'"A"', b'"\\u0000"',
    b'"\\ud800"',
    b'"../../etc/passwd"', b'"file:///etc/passwd"', b'"http://["', b'"0001-01-01T00:00:00Z"',
    b'"9999-12-31T23:59:60+99:99"',
    b'"left"', b'"both_bad"', b'"env:"', b'"{0}"', b'"\xf0\x9f\x8c\x8a\xe2\x80\xae"', b"[]", b"{}", b"[[]]", b"[{}]",
    b"[null]", b'{"": null}', b'["a", 1, {}]', b"left", b"tie", b"7/10", b"10", b"1979-05-27", b"",
)  # fmt: skip


def damaged(seeds: Sequence[bytes], chance: random.Random) -> bytes:
    """One of the seeds after some changes: of one kind, of the other, or of both."""
    data = chance.choice(seeds)
    how = chance.randrange(8)
    if how < 5:
        data = _revalued(data, seeds, chance)
    return _torn(data, seeds, chance) if how > 3 else data


def _revalued(data: bytes, seeds: Sequence[bytes], chance: random.Random) -> bytes:
    """One value or two replaced: by one that parsers trip over, or by one of the other seeds."""
    for _ in range(chance.randint(1, 2)):
        if not (found := list(VALUE.finditer(data))):
            return data
        place, other = chance.choice(found), list(VALUE.finditer(chance.choice(seeds)))
        new = chance.choice(other).group() if other and chance.randrange(2) else chance.choice(VALUES)
        data = data[: place.start()] + new + data[place.end() :]
    return data


def _torn(good: bytes, seeds: Sequence[bytes], chance: random.Random) -> bytes:
    data = bytearray(good)
    for _ in range(chance.randint(1, 4)):
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
                data[at:at] = chance.choice(PIECES if chance.randrange(BOMB_EVERY) else BOMBS)
    return bytes(data)
