"""Claims in JSON: by key, nested, as lists in the order asked, or as `{"name": ..., "score": ...}` rows.

The shallowest place that names a dimension counts. What stands inside strings is never searched.
"""

from __future__ import annotations

from collections.abc import Iterator

from groundswell.ask.reading.claims import Claim, Firmness, Number, claim
from groundswell.ask.reading.labels import Labels, folded
from groundswell.ask.reading.loose_json import Pairs
from groundswell.ask.reading.tokens import number_in

_NAMING = frozenset({"name", "dimension", "criterion", "criteria", "aspect", "metric", "category", "label", "axis"})
_VALUE = frozenset({"score", "rating", "value", "grade", "answer", "verdict", "得分", "评分", "分数"})
_TOP = frozenset({"max", "maximum", "outof", "top", "maxscore", "scale"})

Named = tuple[int, Number, bool]
"""Dimension, number, and whether it was named by a general word only."""


def object_claims(value: object, labels: Labels, firmness: Firmness, at: int, closes: bool) -> list[Claim]:
    """Claims of a JSON value, at most one depth for each dimension."""
    claims: list[Claim] = []
    settled: set[int] = set()
    level = [value]
    while level:
        named = [name for container in level for name in _named(container, labels)]
        if any(not general for _, _, general in named):
            named = [name for name in named if not name[2]]
        fresh = [name for name in named if name[0] not in settled]
        for index, number, _ in fresh:
            one = claim(labels.dimensions, index, number, firmness, at)
            claims.append(Claim(one.dimension, one.value, one.trouble, firmness, at, closes))
        settled.update(index for index, _, _ in fresh)
        level = [inner for container in level for inner in _inside(container)]
    return claims


def _inside(container: object) -> Iterator[object]:
    if isinstance(container, Pairs):
        yield from (value for _, value in container if isinstance(value, list))
    elif isinstance(container, list):
        yield from (value for value in container if isinstance(value, list))


def _named(container: object, labels: Labels) -> Iterator[Named]:
    if not isinstance(container, Pairs):
        return
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
    top = next((number_in(value) for key, value in pairs if folded(key) in _TOP and isinstance(value, str)), None)
    for key, value in pairs:
        if folded(key) in _VALUE:
            number = number_in(value) if isinstance(value, str) else None
            if top is None or number is None or number.top is not None:
                return value
            return Number(number.value, top=top.value, per_cent=number.per_cent, choice=number.choice)
    return None
