"""Cuts a line of a reply into labels, numbers, words and signs, and joins numbers with what belongs to them.

`7/10`, `7 out of 10`, `70 %`, `7-8` and `between 7 and 8` are one number each, with its denominator or the note that
it leaves a choice. Dates, clock times, thousands and numbers that are part of a word are not numbers here.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import lru_cache

import msgspec

from groundswell.ask.reading.claims import Number
from groundswell.ask.reading.labels import GENERAL_PATTERN, Labels
from groundswell.ask.reading.words import COMPARES, NO, UNITS, YES
from groundswell.records import Dimension


class Kind(Enum):
    """What a token is."""

    LABEL = auto()
    GENERAL = auto()
    NUMBER = auto()
    WORD = auto()
    SIGN = auto()
    SCALE = auto()
    """Numbers that name a scale and no score: `0-10`, `out of 10`; `second` is its upper end if it is the score's."""
    STOP = auto()
    """The end of a sentence, or a place where something was taken out."""
    JUNK = auto()
    """A number that can be no score: a date, a time, a part of a word."""


class Token(msgspec.Struct, frozen=True):
    """A piece of a line. `word` is in lower case; `label` is the index of a dimension."""

    kind: Kind
    word: str
    at: int
    end: int
    label: int = -1
    number: Number | None = None
    second: float | None = None
    """Upper end where the number is a range."""


_N = r"\d{1,4}(?:\.\d{1,2})?"
_COUNTS = {"three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "nine": 9, "ten": 10, "hundred": 100}
_WORST = r"worst|lowest|minimum|min|bad|poor|terrible|awful"
_BEST = r"best|highest|maximum|max|perfect|excellent|top|good|ideal|flawless"
_SCALES = (
    rf"(?:\b(?:on|in|using)\s{{1,3}})?(?:\b(?:an?|the|my|this)\s{{1,3}})?\b(?:{_N}|{'|'.join(_COUNTS)})[\s-]{{0,3}}points?\s{{1,3}}"
    r"(?:likert\s{1,3}|rating\s{1,3})?scale\b"
    rf"|(?:\b(?:on|in|using)\s{{1,3}})?(?:\b(?:an?|the|my|this)\s{{1,3}})?\bscale\s{{1,3}}(?:out\s{{1,3}})?of\s{{1,3}}{_N}"
    r"(?![\d.]*\d)(?!\s{0,3}(?:-|~|to\b))"
    rf"|\bout\s{{1,3}}of\s{{1,3}}(?:{'|'.join(_COUNTS)})\b(?:\s{{1,3}}(?:stars|points|marks))?"
    r"(?=\s{0,3}(?:[.,;:!?)\]\n]|$))"
    rf"|\b(?:where|with|and)\s{{1,3}}{_N}\s{{1,3}}(?:is|being|means|meaning|as|=|indicates|represents)\s{{1,3}}"
    rf"(?:the\s{{1,3}})?(?:\w{{1,12}}\s{{1,3}})?(?:{_WORST}|{_BEST})\b"
)
_IS_BEST = re.compile(rf"\b(?:scale|out|{_BEST})\b", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"(?<![\d.,])(\d{1,3}),(\d{1,2})(?![\d.,])")

_TITLES = (Kind.LABEL, Kind.GENERAL)
_RANGE = frozenset({"-", "~", "or", "to", "至", "到", "或"})
_ARROWS = frozenset({"-", "="})
_OTHERS = (
    r"(?P<junk>\d{1,4}(?P<cut>[/.-])\d{1,2}(?P=cut)\d{1,4}(?!\d)|\d{1,3}(?:,\d{3})+(?!\d)|\d{1,2}:\d{2}(?!\d))"
    r"|(?P<number>(?<![A-Za-z0-9_.])[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?![A-Za-z0-9_²³¹⁰⁴-⁹½¼¾°]|\.\d))"
    r"|(?P<part>\d[\w.]*)|(?P<word>[A-Za-z][A-Za-z0-9_']*)|(?P<stop>[.!?;\x00])|(?P<sign>\S)"
)


class Tokens:
    """Cuts lines for one set of labels."""

    def __init__(self, labels: Labels) -> None:
        self._find = re.compile(
            f"{labels.pattern or '(?!)'}|(?P<scale>{_SCALES})|(?P<general>{GENERAL_PATTERN})|{_OTHERS}", re.IGNORECASE
        ).finditer
        self._yes_no = labels.yes_no
        self._tops = {dimension.high for dimension in labels.dimensions}
        self._halves = bool(labels.dimensions) and all(one.step and one.step % 1 for one in labels.dimensions)
        self._bottoms = {dimension.low for dimension in labels.dimensions} | {0.0, 1.0}

    def of(self, line: str) -> list[Token]:
        """Tokens of a line in order, with numbers joined.

        A comma is a decimal sign only where every scale goes in steps that are no whole numbers.
        """
        if self._halves:
            line = _DECIMAL_COMMA.sub(r"\1.\2", line)
        tokens = _joined([_token(match, self._yes_no) for match in self._find(line)])
        return _without_remarks(
            [self._scale(tokens, at) if token.number is not None else token for at, token in enumerate(tokens)]
        )

    def _scale(self, tokens: list[Token], at: int) -> Token:
        """The number at a place, or the mention of a scale if it is one."""
        token = tokens[at]
        assert token.number is not None
        before = [earlier.word for earlier in tokens[max(0, at - 4) : at]]
        upper = token.second
        if upper is not None:
            own = upper in self._tops and token.number.value in self._bottoms
            said = "scale" in before or any(later.word == "scale" for later in tokens[at + 1 : at + 3])
            aside = before[-1:] == ["("] and at > 1 and tokens[at - 2].kind in _TITLES
            named = own or said or aside
        else:
            named = before[-2:] in (["out", "of"], ["满", "分"]) or before[-1:] in (["max"], ["maximum"], ["/"])
            lead = 3 if before[-2:] == ["out", "of"] else 2
            titled = at >= lead and (tokens[at - lead].kind in _TITLES or tokens[at - lead].word == "(")
            titled = titled or (before[-2:] == ["out", "of"] and _is_aside(tokens, at))
            named = named and (titled or before[-1] != "/")
            upper = token.number.value if titled else None  # `four out of 6 fingers` says nothing of the scale
        return Token(Kind.SCALE, token.word, token.at, token.end, second=upper) if named else token


def _is_aside(tokens: list[Token], at: int) -> bool:
    """Whether `out of 100` is all that a remark says: `// out of 100`, `(out of 100)`."""
    opens = at > 2 and tokens[at - 3].word in {"/", "#", "(", "-", ","}
    return opens and (at + 1 == len(tokens) or tokens[at + 1].kind is Kind.STOP or tokens[at + 1].word == ")")


REMARK = 30
"""So many tokens may a remark in brackets have between a label and its number."""


def _without_remarks(tokens: list[Token]) -> list[Token]:
    """The tokens without remarks such as `[1 = bad, 5 = good]` between a label and its number; the scale stays."""
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        after = _after_remark(tokens, at) if token.word in _BRACKETS and kept and kept[-1].kind in _TITLES else at
        if after == at:
            kept.append(token)
            at += 1
            continue
        inside = tokens[at + 1 : after - 1]
        kept += [one for one in inside if one.kind is Kind.SCALE]
        tops = [one.number.value for one in inside if one.number is not None]
        if len(tops) > 1 or (tops and any(_IS_BEST.fullmatch(one.word) for one in inside)):
            kept.append(Token(Kind.SCALE, token.word, token.at, tokens[after - 1].end, second=max(tops)))
        at = after
    return kept


_BRACKETS = {"[": "]", "(": ")"}


def _after_remark(tokens: list[Token], at: int) -> int:
    """The place after a remark in brackets that words and a number follow; `at` itself where there is none."""
    ends = range(at + 1, min(at + REMARK, len(tokens)))
    closing = next((end for end in ends if tokens[end].word == _BRACKETS[tokens[at].word]), at)
    inside = tokens[at + 1 : closing]
    worded = any(one.kind is Kind.WORD or one.word in {"="} or one.word > "\u2e80" for one in inside)
    if not worded or any(one.kind is Kind.LABEL for one in inside):
        return at
    after = closing + 1
    while after < len(tokens) and (tokens[after].word in {":", "=", "-"} or tokens[after].kind is Kind.GENERAL):
        after += 1
    return closing + 1 if after < len(tokens) and tokens[after].number is not None else at


def _token(match: re.Match[str], yes_no: bool) -> Token:
    group = match.lastgroup or ""
    word = match.group().lower()
    at, end = match.span()
    if group == "number":
        return Token(Kind.NUMBER, word, at, end, number=Number(_float(word)))
    if yes_no and word in _ANSWERS and group in ("word", "sign"):
        return Token(Kind.NUMBER, word, at, end, number=_ANSWERS[word])
    if group == "scale":
        return Token(Kind.SCALE, word, at, end, second=_top(word) if _IS_BEST.search(word) else None)
    kind = _KINDS.get(group)
    if kind is None:
        return Token(Kind.LABEL, word, at, end, label=int(group[1:]))
    return Token(kind, word, at, end)


def _top(scale: str) -> float:
    """The number that the mention of a scale holds, in figures or in letters."""
    figures = re.findall(_N, scale)
    return float(figures[-1]) if figures else next(top for name, top in _COUNTS.items() if name in scale)


_ANSWERS = {word: Number(1) for word in YES} | {word: Number(0) for word in NO}
_KINDS = {
    "general": Kind.GENERAL, "word": Kind.WORD, "sign": Kind.SIGN, "stop": Kind.STOP, "junk": Kind.JUNK,
    "part": Kind.JUNK,
}  # fmt: skip


def _float(word: str) -> float:
    return float(word) if len(word) < 300 else float("inf")


def _joined(tokens: list[Token]) -> list[Token]:
    joined: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token.kind is Kind.NUMBER and token.word not in _ANSWERS:
            token, at = _with_rest(token, tokens, at, joined)
        joined.append(token)
    return joined


def _with_rest(token: Token, tokens: list[Token], at: int, before: list[Token]) -> tuple[Token, int]:
    """The number with its denominator, unit or upper end, and the position after them."""
    assert token.number is not None
    value = token.number.value
    words = [following.word for following in tokens[at : at + 7]]
    numbers = [following.number for following in tokens[at : at + 7]]
    number, taken, second = Number(value), 0, None
    if (place := _denominator(words, numbers)) and (top := numbers[place]) is not None:
        number, taken = Number(value, top=abs(top.value)), place + 1
        if "(" in words[:2] and words[taken : taken + 1] == [")"]:
            taken += 1
    elif words[:1] == ["%"]:
        number, taken = Number(value, per_cent=True), 1
    elif (upper := _upper_end(tokens[at - 1 : at + 2], value)) is not None:
        number, taken, second = Number(value, choice=True), 2, upper
    elif words[:1] == ["±"] or (words[:1] == ["+"] and numbers[1:2] in ([], [None])):
        number, taken = Number(value, choice=True), 1
    if _compares(before):
        number = Number(value, choice=True)
        if before[-1].word == "between" and words[:1] == ["and"] and (other := numbers[1]) is not None:
            taken, second = 2, other.value
    at += taken
    end = tokens[at - 1].end
    if at < len(tokens) and tokens[at].word in UNITS:
        at += 1
    return Token(Kind.NUMBER, token.word, token.at, end, number=number, second=second), at


def _upper_end(tokens: list[Token], value: float) -> float | None:
    """The second number of a range; in `4 - 3 of 3 cats are there` there is none, the dash begins a remark."""
    if len(tokens) < 3 or tokens[1].word not in _RANGE or tokens[2].number is None:
        return None
    first, sign, second = tokens
    apart = first.end < sign.at < second.at - 1
    return None if sign.word == "-" and apart and tokens[2].number.value <= value else tokens[2].number.value


def _denominator(words: list[str], numbers: list[Number | None]) -> int:
    """Position of the denominator among the tokens that follow a number; 0 = there is none."""
    unit = 1 if words and words[0] in UNITS else 0
    for lead in _OUT_OF:
        place = unit + len(lead)
        if words[unit:place] == lead and place < len(numbers) and numbers[place] is not None:
            return place
    return 0


_OUT_OF = tuple(
    said.split()
    for said in (
        "/", "out of", "out of a", "out of a possible", ", out of", ", out of a possible", "of", "( out of", "( of",
        "( /", "( 满 分",
    )
)  # fmt: skip
"""What stands between a number and its denominator."""


def _compares(before: list[Token]) -> bool:
    if not before or before[-1].word not in COMPARES:
        return False
    return not (before[-1].word == ">" and len(before) > 1 and before[-2].word in _ARROWS)


_SCALAR = Tokens(Labels(()))
_ANSWER = Tokens(Labels((Dimension(name="?", low=0, high=1, step=1),)))
_SHELL = frozenset({"[", "]", "(", ")", "{", "}", "$", '"', "'", "~", "=", ":"})


@lru_cache(maxsize=1024)
def number_in(text: str, yes_no: bool = False) -> Number | None:
    """The number that a short text consists of (`8`, `[[8]]`, `8/10`, `8 points`), or None where it says more.

    With `yes_no` the words yes and no are 1 and 0.
    """
    if len(text) > 200:
        return None
    tokens = [
        token for token in (_ANSWER if yes_no else _SCALAR).of(text.strip().rstrip(".")) if token.word not in _SHELL
    ]
    if len(tokens) > 1 and tokens[0].kind is Kind.NUMBER and tokens[1].word == "-":
        tokens = tokens[:1]
    return tokens[0].number if len(tokens) == 1 else None
