"""JSON as models write it: trailing commas, single quotes, line comments, bare keys, raw line ends inside strings.

Closing signs may be forgotten at the very end, if all that stands before is complete. Numbers stay text (`Bare`), so
that one reader of numbers decides about all of them. Nothing is repaired by guessing: what is not complete is `Cut`,
everything else `Malformed`. The scan of a text for values is linear: once failed attempts have cost a few times its
length, it gives up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MAX_DEPTH = 40
"""Deeper nesting is no answer to a rubric."""

_EFFORT, _ATTEMPT = 6, 64
"""Failed attempts may read this many times the text in total; each counts for at least so many characters."""

_SPACE = re.compile(r"(?:\s++|//[^\n]*+)*+")
_BARE = re.compile(r"[^\s,\[\]{}\"':]+(?: ?(?:/|out of) ?[^\s,\[\]{}\"':]+)?")
_STRING = {
    '"': re.compile(r'"((?:[^"\\]++|\\.)*+)"', re.DOTALL),
    "'": re.compile(r"'((?:[^'\\]++|\\.)*+)'", re.DOTALL),
}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_NAMES: dict[str, object] = {"true": True, "True": True, "false": False, "False": False}
_NOTHING = {"null", "None", "NaN", "nan"}


class Malformed(ValueError):
    """This is not JSON, even read loosely. `at` is where that showed."""

    def __init__(self, at: int) -> None:
        super().__init__(f"not JSON at character {at}")
        self.at = at


class Cut(Malformed):
    """The text ended before the value did."""


class Bare(str):
    """A value without quotes: a number, or a word."""

    __slots__ = ()


class Pairs(list[tuple[str, object]]):
    """An object as its pairs in order: a key may stand twice, and that matters."""

    __slots__ = ()

    def get(self, key: str) -> object:
        return next((value for name, value in self if name == key), None)


class Found(NamedTuple):
    """A value in a text, from `start` up to `end`; no value = it was cut by the end of the text."""

    value: object
    start: int
    end: int
    cut: bool = False


def parse_whole(text: str) -> object:
    """The one value that the text consists of. Raises Malformed."""
    value, end = _value(text, _skip(text, 0), 0)
    end = _skip(text, end)
    if end != len(text):
        raise Malformed(end)
    return value


def find_objects(text: str) -> Iterator[Found]:
    """Objects, and arrays of objects, anywhere in a text, in order and without overlap."""
    effort = _EFFORT * len(text) + 10_000
    at = 0
    while (start := _next_opening(text, at)) >= 0:
        try:
            value, at = _value(text, start, 0)
        except Cut:
            yield Found(None, start, len(text), cut=True)
            effort -= len(text) - start + _ATTEMPT
            at = start + 1
        except Malformed as stop:
            effort -= stop.at - start + _ATTEMPT
            at = start + 1
        else:
            if isinstance(value, Pairs) or _holds_objects(value):
                yield Found(value, start, at)
        if effort < 0:
            return


def _holds_objects(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(item, Pairs) for item in value)


_OPENING = re.compile(r"\{|\[(?=\s{0,40}\{)")


def _next_opening(text: str, at: int) -> int:
    match = _OPENING.search(text, at)
    return -1 if match is None else match.start()


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return at if match is None else match.end()


def _value(text: str, at: int, depth: int) -> tuple[object, int]:
    if at >= len(text):
        raise Cut(at)
    if depth > MAX_DEPTH:
        raise Malformed(at)
    sign = text[at]
    if sign == "{":
        return _object(text, at + 1, depth)
    if sign == "[":
        return _array(text, at + 1, depth)
    if sign in _STRING:
        return _string(text, at)
    match = _BARE.match(text, at)
    if match is None:
        raise Malformed(at)
    word = match.group()
    if word in _NOTHING:
        return None, match.end()
    return _NAMES.get(word, Bare(word)), match.end()


def _string(text: str, at: int) -> tuple[str, int]:
    match = _STRING[text[at]].match(text, at)
    if match is None:
        raise Cut(len(text))
    return _ESCAPE.sub(_unescape, match.group(1)), match.end()


def _unescape(match: re.Match[str]) -> str:
    sign = match.group(1)
    return chr(int(sign[1:], 16)) if len(sign) > 1 else _ESCAPED.get(sign, sign)


def _array(text: str, at: int, depth: int) -> tuple[list[object], int]:
    items: list[object] = []
    at = _skip(text, at)
    closed = text[at : at + 1] == "]"
    while not closed:
        item, at = _value(text, at, depth + 1)
        items.append(item)
        at, closed = _after_item(text, at, "]")
    return items, min(at + 1, len(text))


def _object(text: str, at: int, depth: int) -> tuple[Pairs, int]:
    pairs = Pairs()
    at = _skip(text, at)
    closed = text[at : at + 1] == "}"
    while not closed:
        key, at = _key(text, at)
        at = _skip(text, at)
        if at >= len(text):
            raise Cut(at)
        if text[at] != ":":
            raise Malformed(at)
        value, at = _value(text, _skip(text, at + 1), depth + 1)
        pairs.append((key, value))
        at, closed = _after_item(text, at, "}")
    return pairs, min(at + 1, len(text))


def _key(text: str, at: int) -> tuple[str, int]:
    if at >= len(text):
        raise Cut(at)
    if text[at] in _STRING:
        return _string(text, at)
    match = _BARE.match(text, at)
    if match is None:
        raise Malformed(at)
    return match.group(), match.end()


def _after_item(text: str, at: int, closing: str) -> tuple[int, bool]:
    """Position of the next item or of the closing sign, and whether it is closed there."""
    complete = text[at - 1] in "\"'}]"  # a number or a word might go on
    at = _skip(text, at)
    if at >= len(text):
        if complete:
            return at, True
        raise Cut(at)
    if text[at] == ",":
        at = _skip(text, at + 1)
    elif text[at] != closing:
        raise Malformed(at)
    return at, text[at : at + 1] == closing
