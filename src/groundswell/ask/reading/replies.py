"""The strict reader: a reply and the dimensions that were asked give scores, or the reason why not.

It knows the formats only by the modules that read them; it decides what in a reply may be read at all (no thinking,
no quotation, nothing cut) and puts the claims together. It never guesses and never raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from groundswell.ask.reading.attribution import attributed, is_foreign, without_announced, without_delimited
from groundswell.ask.reading.claims import GRAVITY, Claim, Firmness, Number, Why, claim, rescaled, settle
from groundswell.ask.reading.cleaning import (
    GAP,
    plain,
    reordered,
    unwrapped,
    without_emphasis,
    without_fences,
    without_quotations,
    without_struck,
    without_thinking,
)
from groundswell.ask.reading.excuses import asks_for_images, declines, lacks_images, refuses
from groundswell.ask.reading.labels import Labels, labels_of
from groundswell.ask.reading.loose_json import Found, Malformed, Pairs, find_objects, parse_whole
from groundswell.ask.reading.objects import object_claims
from groundswell.ask.reading.prose import Prose, untagged
from groundswell.ask.reading.tables import table_claims
from groundswell.ask.reading.tokens import number_in
from groundswell.records import Dimension


class Read(msgspec.Struct, frozen=True):
    """What was read of a reply. `why` is None if and only if every dimension has a number on its scale."""

    scores: dict[str, float]
    """What was read, by the dimension's name; only to be scored when nothing is missing."""
    missing: tuple[str, ...]
    """Dimensions without a number that can be trusted, in the order asked."""
    why: Why | None


_MARK = re.compile(r"\[\[\s*([^\[\]]{1,24}?)\s*\]\]|\\boxed\{\s*(?:\\text\{)?\s*([^{}]{1,24}?)\s*\}")
_BOXED = re.compile(r"\\boxed\{\s*([^{}]{1,24}?)\s*\}")
_ITEM = r"[-+]?[\d.]{1,12}(?:/\d{1,4})?"
_LIST = re.compile(rf"\[\s{{0,5}}({_ITEM}(?:\s{{0,5}}[,;]\s{{0,5}}{_ITEM}){{0,31}})\s{{0,5}}\]")
_OPEN_LIST = re.compile(r"\[\[?[\d.,\s]{0,80}$")

LONGEST = 200_000
"""Of a longer reply, the beginning and the end are read, but every object in it: no answer to a rubric is so long."""


def read(reply: str, dimensions: Sequence[Dimension]) -> Read:
    """Scores of a reply for the dimensions asked, each within its scale, or the reason why not. Never raises."""
    labels = labels_of(tuple(dimensions))
    text = plain(reply)
    if not text or not dimensions:
        return _nothing(dimensions, Why.EMPTY)
    if reordered(reply):
        return _nothing(dimensions, Why.UNPARSEABLE)
    text = unwrapped(text)
    if not _is_object(text):
        text, cut = without_thinking(text)
        if cut:
            return _nothing(dimensions, Why.CUT)
        text = unwrapped(without_fences(text).strip())
    if not text.strip():
        return _nothing(dimensions, Why.EMPTY)
    claims, planted, cut = _claims(text, labels)
    if lacks_images(text) or (not claims and asks_for_images(text)):
        return _nothing(dimensions, Why.NO_IMAGES)
    if cut:
        return _nothing(dimensions, Why.CUT)
    if refuses(text) or any(refuses(reason) for reason in _reasons(text)):
        return _nothing(dimensions, Why.DECLINED)
    if not claims:
        return _nothing(dimensions, _silence(text, planted))
    return _weigh(claims, dimensions)


def _nothing(dimensions: Sequence[Dimension], why: Why) -> Read:
    return Read({}, tuple(dimension.name for dimension in dimensions), why)


def _is_object(text: str) -> bool:
    if text[:1] not in "{[":
        return False
    try:
        return isinstance(parse_whole(text), list)
    except Malformed:
        return False


def _reasons(text: str) -> Iterator[str]:
    """What the judge says in its own objects beside the score."""
    for found in find_objects(text):
        if isinstance(found.value, Pairs):
            yield from (value for key, value in found.value if isinstance(value, str) and not is_foreign(key))


def _silence(text: str, planted: bool) -> Why:
    if planted:
        return Why.PLANTED
    if _OPEN_LIST.search(text[-100:]):
        return Why.CUT
    if any(sign.isdigit() for sign in text):
        return Why.UNPARSEABLE
    return Why.DECLINED if declines(text) else Why.NO_SCORE


def _weigh(claims: list[Claim], dimensions: Sequence[Dimension]) -> Read:
    scores: dict[str, float] = {}
    missing: list[str] = []
    troubles: set[Why] = set()
    for index, dimension in enumerate(dimensions):
        value, trouble = settle(one for one in claims if one.dimension == index)
        if value is None:
            missing.append(dimension.name)
            troubles.add(trouble or Why.MISSING)
        else:
            scores[dimension.name] = value
    why = next((why for why in GRAVITY if why in troubles), None)
    return Read(scores, tuple(missing), why)


def _claims(text: str, labels: Labels) -> tuple[list[Claim], bool, bool]:
    """All claims of a text, whether one was passed over as planted, and whether the text is cut."""
    objects, rest, planted, cut = _of_objects(text, labels)
    if cut:
        return [], planted, True
    if len(rest) > LONGEST:
        rest = rest[: LONGEST // 2] + GAP + rest[-LONGEST // 2 :]
    rest, delimited = without_delimited(rest, labels)
    rest = untagged(without_struck(rest), labels)
    rest, quoted = without_quotations(rest, labels.claim)
    rest, announced = without_announced(rest, labels)
    rest = without_emphasis(rest)
    planted = planted or delimited or quoted or announced
    claims = objects + _of_lists(rest, labels)
    if labels.single:
        claims += _of_marks(rest, labels)
    else:
        rest = _BOXED.sub(r" \1 ", rest)
    lines = rest.split("\n")
    rows, used = table_claims(lines, labels)
    prose = Prose(labels)
    named = prose.claims(rest, used)
    claims = [rescaled(one, prose.foreign, labels.dimensions) for one in claims + rows] + named
    return claims, planted or prose.planted, False


def _of_objects(text: str, labels: Labels) -> tuple[list[Claim], str, bool, bool]:
    """Claims of JSON objects, the text without them, whether one was planted, whether the last one is cut."""
    claims: list[Claim] = []
    kept: list[str] = []
    start = 0
    planted = cut = False
    for found in find_objects(text):
        lead = _before(text, found.start)
        if found.cut:
            cut = cut or _stands_alone(lead)
            continue
        kept += [text[start : found.start], GAP]
        start = found.end
        if _is_quoted(text, found) or attributed(_lead_in(text, found.start, lead)):
            planted = planted or object_claims(found.value, labels, Firmness.STATED, found.start) != ([], False)
            continue
        firmness = Firmness.STATED if _stands_alone(lead) else Firmness.MENTIONED
        made, quoted = object_claims(found.value, labels, firmness, found.start)
        claims += made
        planted = planted or quoted
    kept.append(text[start:])
    return claims, "".join(kept), planted, cut


def _before(text: str, at: int) -> str:
    """What stands before a place on its line, at most 200 characters."""
    return text[max(0, at - 200) : at].rpartition("\n")[2]


def _stands_alone(lead: str) -> bool:
    """Whether an object or a list begins its line, or follows a few words and a colon."""
    lead = lead.strip(" \t*_`>-")
    return not lead or (lead[-1] in ":=" and len(lead) < 60)


def _lead_in(text: str, start: int, lead: str) -> str:
    """The words that lead to an object: those on its line, or the line before where that ends with a colon."""
    if lead.strip(" \t`*>"):
        return lead
    before = text[max(0, start - 300) : start].rstrip(" \t\n`*>")
    return before.rpartition("\n")[2] if before.endswith(":") else ""


def _is_quoted(text: str, found: Found) -> bool:
    before, after = text[max(0, found.start - 1) : found.start], text[found.end : found.end + 1]
    return (before, after) in {('"', '"'), ("'", "'"), ("“", "”"), ("「", "」"), ("‘", "’")}


def _of_marks(text: str, labels: Labels) -> list[Claim]:
    claims = []
    for mark in _MARK.finditer(text):
        lead = _before(text, mark.start())
        number = number_in(mark.group(1) or mark.group(2))
        if number is not None and not attributed(lead):
            claims.append(claim(labels.dimensions, 0, number, Firmness.FINAL, mark.start()))
    return claims


def _of_lists(text: str, labels: Labels) -> list[Claim]:
    """`[8, 7]`: as many numbers as dimensions, in the order asked."""
    claims: list[Claim] = []
    for match in _LIST.finditer(text):
        numbers = [number_in(item) for item in re.split(r"[,;]", match.group(1))]
        if len(numbers) != len(labels.dimensions) or (labels.single and text.strip() != match.group()):
            continue
        lead = _before(text, match.start())
        if attributed(lead):
            continue
        for index, number in enumerate(numbers):
            one = number or Number(0, choice=True)
            firmness = Firmness.STATED if _stands_alone(lead) else Firmness.MENTIONED
            claims.append(claim(labels.dimensions, index, one, firmness, match.start()))
    return claims
