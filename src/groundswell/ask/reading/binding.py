"""Which number of a sentence belongs to a label: how far it may stand, what may stand between, what may follow.

It works on the tokens of one sentence and knows no dimensions but their upper end.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from groundswell.ask.reading.labels import SUMMARY
from groundswell.ask.reading.tokens import Kind, Token
from groundswell.ask.reading.words import (
    ASSIGNING,
    BEFORE_LABEL,
    CALCULATING,
    CHOOSING,
    CORRECTING,
    CORRECTING_PAIRS,
    DENYING,
    FILLING,
    FITTING,
    HEDGING,
    JOINING,
    JUDGING,
    LINKING,
    LISTING,
    MAY_FOLLOW,
    MODAL,
    PASSED,
    REVISING,
    SEPARATING,
    SUPPOSING,
)

REACH = 24
"""So many tokens may stand between a label and its number."""


def row(sentence: Sequence[Token], at: int, kind: Kind) -> tuple[list[int], int]:
    """Positions of tokens of a kind that stand in a row with only commas and the like between, and the place after."""
    found: list[int] = []
    while at < len(sentence):
        if sentence[at].kind is kind:
            found.append(at)
        elif not found or sentence[at].word not in {",", "and", "&", "/", "the"}:
            break
        at += 1
    return found, at


def first_number(sentence: Sequence[Token], at: int) -> int | None:
    """Place of the first number within reach from `at` on; None where a word that assigns nothing stands before it."""
    for place in range(at, min(at + REACH, len(sentence))):
        token = sentence[place]
        if token.kind is Kind.NUMBER:
            return place
        if not _passed(sentence, place) and token.word not in ASSIGNING:
            return None
    return None


def listed(sentence: Sequence[Token], at: int) -> bool:
    """Whether the number is one of a row of numbers."""
    return at > 1 and sentence[at - 1].word in {",", "/"} and sentence[at - 2].kind is Kind.NUMBER


def links(sentence: Sequence[Token], number: int, label: int) -> bool:
    """Whether only linking words stand between a number and a label after it."""
    return all(token.word in LINKING or token.word in BEFORE_LABEL for token in sentence[number + 1 : label])


class Bound(NamedTuple):
    """Where the number of a label stands, and how it is bound."""

    place: int
    separated: bool
    """A colon or the like stands between."""
    wide: bool
    """Other words stand between."""


def follow(sentence: Sequence[Token], at: int, top: float) -> Bound | None:
    """The number of a label (or general word) that stands at `at`, None where none belongs to it."""
    if _supposed(sentence, at):
        return None
    separated = wide = denied = False
    for place in range(at + 1, min(at + 1 + REACH, len(sentence))):
        token = sentence[place]
        if token.kind is Kind.NUMBER:
            if denied or supposed_number(sentence, place):
                return None
            if _counts(sentence, place):
                wide = True
                continue
            if wide and not (_assigned(sentence, at, place) or (token.number is not None and token.number.top == top)):
                return None
            place = result_of(sentence, place)
            return Bound(place, separated, wide) if _ends_well(sentence, place) else None
        if token.kind in (Kind.LABEL, Kind.JUNK) or token.word in SUPPOSING:
            return None
        denied = token.word != "," and (denied or token.word in DENYING)
        separated = separated or token.word in SEPARATING
        if _passed(sentence, place) or token.word in PASSED:
            continue
        wide = wide or not (token.word == "," and _goes_on(sentence, place))
    return None


def result_of(sentence: Sequence[Token], place: int) -> int:
    """Where the result of a calculation that begins at a number stands, `10 - 2 = 8`; else the number's own place."""
    at = place
    while at + 2 < len(sentence) and sentence[at + 1].word in CALCULATING and sentence[at + 2].kind is Kind.NUMBER:
        at += 2
        if sentence[at - 1].word == "=":
            return at
    return place


def supposed_number(sentence: Sequence[Token], number: int) -> bool:
    """Whether the words after a number say that it is not given: `10 would be generous`, `10 is too high`."""
    after = [token.word for token in sentence[number + 1 : number + 6]]
    if after[:1] and after[0] in MODAL:
        rest = next((word for word in after[1:] if word not in HEDGING), "")
        return rest not in FITTING
    return after[:2] in (["is", "too"], ["seems", "too"], ["is", "reserved"], ["was", "too"], ["feels", "too"])


def rivalled(sentence: Sequence[Token], number: int, top: float) -> bool:
    """Whether another grade for the same thing follows in the sentence: `7 (8/10)`, `8 and that 9`."""
    first = sentence[number].number
    assert first is not None
    joined = True
    for place in range(number + 1, min(number + 1 + REACH, len(sentence))):
        token = sentence[place]
        if token.number is None:
            joined = joined and token.word in JOINING
            continue
        if token.number.value != first.value and not _counts(sentence, place) and not supposed_number(sentence, place):
            of_things = place + 1 < len(sentence) and sentence[place + 1].word == "of"
            if token.number.top == top and not of_things:
                return True
            aside = sentence[place - 1].word == "(" and sentence[place + 1 : place + 2] != []
            if token.number.per_cent and aside and sentence[place + 1].word == ")":
                return token.number.value != 100 * first.value / top
            if joined and place > number + 2 and token.number.top is None:
                return True
        joined = False
    return False


def corrected(sentence: Sequence[Token]) -> int | None:
    """Where the number of a correction stands, `Correction: 5`, `Actually, I'd say 4`, None where none is made."""
    for at, token in enumerate(sentence):
        pair = (token.word, sentence[at + 1].word if at + 1 < len(sentence) else "")
        start = _revised(sentence, at) if token.word in REVISING and at < OPENS else 0
        if not start:
            start = at + 1 if token.word in CORRECTING else at + 2 if pair in CORRECTING_PAIRS else 0
        while start and start < min(len(sentence), at + 6) and sentence[start].word in (",", "no"):
            start += 1
        place = first_number(sentence, start) if start else None
        if place is not None and not _counts(sentence, place) and _ends_well(sentence, place):
            return place
    return None


OPENS = 4
"""Among so many words a sentence begins with `my revised assessment`."""


def _revised(sentence: Sequence[Token], at: int) -> int:
    """The place after `revised assessment:` or `new rating is`, 0 where that is not what a word begins."""
    after = at + 1
    while after < len(sentence) and after < at + 4:
        if sentence[after].word in SEPARATING or sentence[after].word == "is":
            return after + 1 if after > at + 1 else 0
        if sentence[after].kind is not Kind.GENERAL and sentence[after].word not in JUDGING:
            return 0
        after += 1
    return 0


def _passed(sentence: Sequence[Token], place: int) -> bool:
    """Whether a token says nothing between a label and its number: a filling word, a scale, a star."""
    token = sentence[place]
    if token.word in FILLING or token.kind in (Kind.GENERAL, Kind.SCALE):
        return True
    if token.word == "/":
        return place + 1 < len(sentence) and sentence[place + 1].kind is Kind.SCALE
    return token.kind is Kind.SIGN and unicodedata.category(token.word) == "So"


def _supposed(sentence: Sequence[Token], at: int) -> bool:
    """Whether the clause of a label begins with `if`."""
    for place in range(at - 1, max(-1, at - REACH), -1):
        if sentence[place].word in (",", ":"):
            return False
        if sentence[place].word in ("if", "unless"):
            return True
    return False


def _leads_to_label(sentence: Sequence[Token], at: int) -> bool:
    return at < len(sentence) and (sentence[at].kind is Kind.LABEL or sentence[at].word in LINKING)


def _goes_on(sentence: Sequence[Token], comma: int) -> bool:
    return comma + 1 < len(sentence) and sentence[comma + 1].word in {"it", "i", "i'd", "this"}


def _assigned(sentence: Sequence[Token], start: int, number: int) -> bool:
    """Whether the words just before a number give a score, and not one for the whole: `with a score of`."""
    near = sentence[max(start + 1, number - 4) : number]
    if any(token.word in SUMMARY for token in near):
        return False
    return any(token.kind is Kind.GENERAL or token.word in ASSIGNING for token in near)


def _counts(sentence: Sequence[Token], number: int) -> bool:
    """Whether a number counts things: `3 cats`."""
    after = sentence[number + 1] if number + 1 < len(sentence) else None
    return after is not None and after.kind is Kind.WORD and after.word not in MAY_FOLLOW


def _ends_well(sentence: Sequence[Token], number: int) -> bool:
    """Whether nothing after the number says that it counts things or is a part of something longer."""
    if number + 1 >= len(sentence):
        return True
    after = sentence[number + 1]
    if after.word == "on" and number + 2 < len(sentence) and sentence[number + 2].kind is Kind.NUMBER:
        return False  # `4 on 5`: no scale that was asked for is named so
    rows = LISTING if sentence[number].word[-1].isdigit() else CHOOSING
    goes_on = after.word in rows and number + 2 < len(sentence) and sentence[number + 2].kind is Kind.NUMBER
    if goes_on and not _leads_to_label(sentence, number + 3):
        return False
    if after.kind is Kind.WORD or (after.kind is Kind.SIGN and after.word > "\u2e80"):
        return after.word in MAY_FOLLOW
    if after.kind is Kind.NUMBER or after.kind is Kind.JUNK:
        return False
    if any(later.word in (">", "→") for later in sentence[number + 1 : number + 3]):
        return False  # an arrow: the number was changed into another
    if after.word == "-" and number + 3 == len(sentence):
        last = sentence[number + 2].number
        if last is not None and last.top is None:
            return False  # `10 - 2` and nothing more: a sum, or two grades
    tight = after.at == sentence[number].end
    return not (tight and after.word in {"(", "^", "*", "/", "°", "#", "€", "$"})
