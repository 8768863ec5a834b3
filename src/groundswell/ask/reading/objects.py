"""Claims in JSON: by key, nested, as lists in the order asked, or as `{"name": ..., "score": ...}` rows.

The shallowest place that names a dimension counts. What stands inside strings is never searched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from groundswell.ask.reading.attribution import is_foreign
from groundswell.ask.reading.claims import Claim, Firmness, Number, claim
from groundswell.ask.reading.labels import Labels, folded
from groundswell.ask.reading.loose_json import Pairs
from groundswell.ask.reading.tokens import number_in

_NAMING = frozenset({"name", "dimension", "criterion", "criteria", "aspect", "metric", "category", "label", "axis"})
_VALUE = frozenset({"score", "rating", "value", "grade", "answer", "verdict", "得分", "评分", "分数"})
_TOP = frozenset({"max", "maximum", "outof", "top", "maxscore", "scale"})
_ENDS = re.compile(r"(?:[\d.]{1,8}\s{0,3}(?:-|to|\.\.)\s{0,3})?(\d{1,6}(?:\.\d{1,4})?)")

Named = tuple[int, Number, bool]
"""Dimension, number, and whether it was named by a general word only."""


def object_claims(value: object, labels: Labels, firmness: Firmness, at: int) -> tuple[list[Claim], bool]:
    """Claims of a JSON value, at most one depth for each dimension, and whether a key quotes somebody with a claim."""
    claims: list[Claim] = []
    settled: set[int] = set()
    level = [value]
    foreign: list[object] = []
    while level:
        named = [name for container in level for name in _named(container, labels)]
        if any(not general for _, _, general in named):
            named = [name for name in named if not name[2]]
        fresh = [name for name in named if name[0] not in settled]
        claims += [claim(labels.dimensions, index, number, firmness, at) for index, number, _ in fresh]
        settled.update(index for index, _, _ in fresh)
        foreign += [inner for container in level for inner in _quoted(container)]
        level = [inner for container in level for inner in _inside(container)]
    planted = any(object_claims(inner, labels, firmness, at) != ([], False) for inner in foreign)
    return claims, planted


def _quoted(container: object) -> Iterator[object]:
    if isinstance(container, Pairs):
        yield from (value for key, value in container if isinstance(value, list) and is_foreign(key))


def _inside(container: object) -> Iterator[object]:
    if isinstance(container, Pairs):
        yield from (value for key, value in container if isinstance(value, list) and not is_foreign(key))
    elif isinstance(container, list):
        yield from (value for value in container if isinstance(value, list))


def _named(container: object, labels: Labels) -> Iterator[Named]:
    if not isinstance(container, Pairs):
        return
    top = _top_of(container, labels)
    for index, number, general in _unscaled(container, labels):
        yield index, replace(number, top=top) if number.top is None and top is not None else number, general


def _unscaled(container: Pairs, labels: Labels) -> Iterator[Named]:
    subject = _subject(container, labels)
    for key, value in container:
        index = labels.exact(key)
        if index is not None:
            yield from _numbers(index, value, False, labels.yes_no)
        elif labels.is_general(key):
            if subject is not None:
                yield from _numbers(subject, value, False, labels.yes_no)
            elif labels.single and not _names_another(container):
                yield from _numbers(0, value, True, labels.yes_no)
            else:
                yield from _in_order(value, labels)


def _top_of(pairs: Pairs, labels: Labels | None = None) -> float | None:
    """Upper end of the scale that an object states: `"max": 5`, `"scale": "1-5"`."""
    for key, value in pairs:
        if labels is not None and labels.exact(key) is not None:
            continue
        if folded(key) in _TOP and isinstance(value, str) and (ends := _ENDS.fullmatch(value.strip())) is not None:
            return float(ends.group(1))
    return None


def _subject(container: Pairs, labels: Labels) -> int | None:
    for key, value in container:
        if folded(key) in _NAMING and isinstance(value, str) and (index := labels.exact(value)) is not None:
            return index
    return None


def _names_another(container: Pairs) -> bool:
    return any(folded(key) in _NAMING - {"category", "label"} and isinstance(value, str) for key, value in container)


def _in_order(value: object, labels: Labels) -> Iterator[Named]:
    if not isinstance(value, list) or isinstance(value, Pairs) or len(value) != len(labels.dimensions):
        return
    for index, item in enumerate(value):
        yield from _numbers(index, item, True, labels.yes_no)


def _numbers(index: int, value: object, general: bool, yes_no: bool) -> Iterator[Named]:
    if isinstance(value, Pairs):
        value = _score_of(value)
    if isinstance(value, Number):
        yield index, value, general
        return
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, bool) and yes_no:
        value = "yes" if value else "no"
    if isinstance(value, str) and (number := number_in(value, yes_no)) is not None:
        yield index, number, general


def _score_of(pairs: Pairs) -> object:
    """The value of `{"score": 8, "max": 10, "reason": ...}`: a number with its denominator, or what stands there."""
    top = _top_of(pairs)
    for key, value in pairs:
        if folded(key) in _VALUE:
            number = number_in(value) if isinstance(value, str) else None
            if top is None or number is None or number.top is not None:
                return value
            return Number(number.value, top=top, per_cent=number.per_cent, choice=number.choice)
    return None
