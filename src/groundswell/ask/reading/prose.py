"""Claims in lines and running text: `Naturalness: 8`, `a score of 8 for naturalness`, `8 and 7 respectively`.

A number belongs to a label only if nothing but filling words stands between them, or words that end in `score of`.
A number that counts things (`3 cats`) belongs to none. It works line by line on tokens and never across a full stop.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from groundswell.ask.reading.attribution import attributed, quoted_after
from groundswell.ask.reading.binding import (
    REACH,
    Bound,
    corrected,
    first_number,
    follow,
    links,
    listed,
    result_of,
    rivalled,
    row,
    supposed_number,
)
from groundswell.ask.reading.claims import Claim, Firmness, Number, claim
from groundswell.ask.reading.cleaning import GAP
from groundswell.ask.reading.labels import SUMMARY, Labels
from groundswell.ask.reading.tokens import Kind, Token, Tokens, number_in
from groundswell.ask.reading.words import (
    ASSIGNING,
    BEFORE_LABEL,
    BETWEEN,
    BREAKING,
    CORRECTING,
    LEADING,
    LINKING,
    LISTING,
    OPENING,
    PASSING,
    SEPARATING,
)

PRELUDE = 6
"""So many words such as `my overall` may stand before the label that begins a line."""

LONGEST = 50_000
"""Of a longer line, the beginning and the end are read."""

_PREFIX = re.compile(r"\s*(?:[-*•·▪◦>+]+\s+|#+\s*|\(?\d{1,2}[.)、]\s*(?=\D)|[①-⑳]\s*|\(\d{1,2}\)\s*)*")
_TAG = re.compile(r"<(/?)([^<>/\n]{1,60})/?>")
_INLINE = frozenset(["strong", "b", "i", "em", "u", "span", "font", "mark", "code", "small", "big", "tt"])
_BLOCK = frozenset(["p", "div", "br", "li", "ul", "ol", "section", "h1", "h2", "h3", "h4", "h5", "h6"])


class Prose:
    """Reads lines for one set of labels.

    `planted` tells whether a claim in somebody else's mouth was passed over, `foreign` where the scale ends that the
    reply says it uses, if that is none of ours.
    """

    def __init__(self, labels: Labels) -> None:
        self._labels = labels
        self._tokens = Tokens(labels)
        self._names_score = labels.single and labels.is_general(labels.dimensions[0].name)
        self.foreign: float | None = None
        self.planted = False

    def claims(self, text: str, skip: set[int]) -> list[Claim]:
        """Claims of a text; `skip` are numbers of lines that were read as a table."""
        found: list[Claim] = []
        heading: int | None = None
        lines = text.split("\n")
        edges = _edges(lines)
        cut = [(place, *self._cut(line)) for place, line in enumerate(lines) if place not in skip and line.strip()]
        self.foreign = self._other_scale(tokens for _, _, tokens in cut)
        for place, line, tokens in cut:
            if not any(token.kind in (Kind.NUMBER, Kind.LABEL) for token in tokens):
                continue
            here, unnamed = self._of_line(line, tokens, place)
            named = bool(here)
            if heading is not None and not here:
                here = self._below_heading(tokens, heading, place)
            if not here and (place in edges or tokens[0].kind is Kind.GENERAL):
                here = self._alone(line, tokens, place)
            if self._labels.single:
                here += self._general(line, unnamed, place)
            found += here + self._corrections(line, tokens, place)
            heading = None if named else _heading(tokens, heading)
        return found

    def _cut(self, raw: str) -> tuple[str, list[Token]]:
        """A line without bullets and numbering, and its tokens."""
        if len(raw) > LONGEST:
            raw = raw[: LONGEST // 2] + GAP + raw[-LONGEST // 2 :]
        line = raw[_prefix_end(raw) :]
        return line, self._tokens.of(line)

    def _other_scale(self, lines: Iterable[list[Token]]) -> float | None:
        """Upper end of the scale that the reply says it uses, where it names one and none of ours."""
        scales = [token for tokens in lines for token in tokens if token.kind is Kind.SCALE]
        named = {token.second for token in scales if token.second is not None}
        return None if named & {dimension.high for dimension in self._labels.dimensions} else max(named, default=None)

    def _of_line(self, line: str, tokens: list[Token], place: int) -> tuple[list[Claim], list[list[Token]]]:
        """Claims that name their dimension, and the sentences that make none."""
        claims: list[Claim] = []
        unnamed: list[list[Token]] = []
        for sentence in _sentences(tokens):
            bound = self._numbers_before(sentence, place)
            bound |= {at: one for at, one in self._runs(sentence, place).items() if at not in bound}
            for at, token in enumerate(sentence):
                if token.kind is Kind.LABEL:
                    self._number_after(sentence, at, place, bound)
            if not bound:
                unnamed.append(sentence)
            claims += [one for at, one in bound.items() if not self._is_planted(line, sentence, at)]
        return claims, unnamed

    def _is_planted(self, line: str, sentence: Sequence[Token], at: int) -> bool:
        """Whether the claim of the token at a place stands in somebody else's mouth; if so, that is kept in mind."""
        start = sentence[at].at
        tail = line[start : min(start + 200, sentence[-1].end)]
        if attributed(line[max(0, start - 120) : start]) or quoted_after(tail):
            self.planted = True
            return True
        return False

    def _make(self, index: int, number: Number, firmness: Firmness, place: int) -> Claim:
        if number.top is None and self.foreign is not None:
            number = replace(number, top=self.foreign)
        return claim(self._labels.dimensions, index, number, firmness, place)

    def _numbers_before(self, sentence: Sequence[Token], place: int) -> dict[int, Claim]:
        """`8 for naturalness`, and lines such as `10 score1 0 score2`. Keys are positions of the labels."""
        bound: dict[int, Claim] = {}
        kinds = [token.kind for token in sentence if token.word not in (",", "and")]
        if kinds and kinds == [Kind.NUMBER, Kind.LABEL] * (len(kinds) // 2):
            plain = [at for at, token in enumerate(sentence) if token.word not in (",", "and")]
            for first, second in zip(plain[::2], plain[1::2], strict=True):
                bound[second] = self._claim_of(sentence[second], sentence[first], Firmness.STATED, place)
            return bound
        for at, token in enumerate(sentence):
            if token.kind is not Kind.NUMBER:
                continue
            after = at + 1
            while after < len(sentence) and (
                sentence[after].word in LINKING or (after > at + 1 and sentence[after].word in BEFORE_LABEL)
            ):
                after += 1
            linked = at + 1 < after < len(sentence) and sentence[after].kind is Kind.LABEL
            if linked and not listed(sentence, at):
                bound[after] = self._claim_of(sentence[after], token, Firmness.MENTIONED, place)
        return bound

    def _claim_of(self, label: Token, number: Token, firmness: Firmness, place: int) -> Claim:
        assert number.number is not None
        return self._make(label.label, number.number, firmness, place)

    def _runs(self, sentence: Sequence[Token], place: int) -> dict[int, Claim]:
        """`naturalness and artifacts are 8 and 7`: several labels in a row, then as many numbers in a row."""
        bound: dict[int, Claim] = {}
        at = 0
        while at < len(sentence):
            labels, after = row(sentence, at, Kind.LABEL)
            at = max(after, at + 1)
            if len(labels) < 2:
                continue
            start = first_number(sentence, after)
            numbers, at_end = row(sentence, start, Kind.NUMBER) if start is not None else ([], after)
            if len(numbers) == len(labels):
                for label, number in zip(labels, numbers, strict=True):
                    bound[label] = self._claim_of(sentence[label], sentence[number], Firmness.MENTIONED, place)
                at = at_end
            elif numbers:
                choice = Number(0, choice=True)
                for label in labels:
                    bound[label] = self._make(sentence[label].label, choice, Firmness.MENTIONED, place)
        return bound

    def _number_after(self, sentence: Sequence[Token], at: int, place: int, bound: dict[int, Claim]) -> None:
        """Binds the number that follows the label at `at`, where there is one that belongs to it."""
        label = sentence[at]
        if at in bound:
            return
        dimension = self._labels.dimensions[label.label]
        found = follow(sentence, at, dimension.high)
        if found is None:
            return
        if any(other in bound and links(sentence, found.place, other) for other in _after(found.place)):
            return  # it belongs to the label after it
        leads = (sentence[0].at <= 1 and _leads(sentence, at, bound)) or (
            at <= 3 and all(one.kind is Kind.WORD and one.word not in PASSING for one in sentence[:at])
        )
        corrects = _takes_back(sentence, at, found.place)
        firm = leads and found.separated and not found.wide
        firmness = Firmness.STATED if firm else Firmness.MENTIONED
        if self._labels.single and rivalled(sentence, found.place, dimension.high):
            bound[at] = self._make(label.label, Number(0, choice=True), firmness, place)
        else:
            bound[at] = replace(self._claim_of(label, sentence[found.place], firmness, place), corrects=corrects)

    def _below_heading(self, tokens: list[Token], heading: int, place: int) -> list[Claim]:
        """`Score: 8` below the line `Naturalness`, or a number alone there."""
        top = self._labels.dimensions[heading].high
        if tokens and tokens[0].kind is Kind.GENERAL and tokens[0].word not in SUMMARY:
            found = follow(tokens, 0, top)
            if found is not None and not found.wide and (number := tokens[found.place].number) is not None:
                return [self._make(heading, number, Firmness.STATED, place)]
        if len(tokens) == 1 and (number := tokens[0].number) is not None:
            return [self._make(heading, number, Firmness.STATED, place)]
        return []

    def _alone(self, line: str, tokens: list[Token], place: int) -> list[Claim]:
        """A line that is as many numbers as dimensions and nothing else, but perhaps `Scores:` before them."""
        led = len(tokens) > 2 and tokens[0].kind is Kind.GENERAL and tokens[1].word in SEPARATING
        tokens = tokens[2:] if led else tokens
        numbers = [token.number for token in tokens if token.number is not None]
        rest = [token.word for token in tokens if not _is_silent(token)]
        count = len(self._labels.dimensions)
        if self._labels.single:
            if numbers and tokens[0].number is not None and (not rest or tokens[1].word in BREAKING):
                return self._opening(line, tokens, place, bare=not led and len(tokens) == 1)
            return []
        if rest or len(numbers) != count:
            return []
        return [self._make(index, number, Firmness.STATED, place) for index, number in enumerate(numbers)]

    def _opening(self, line: str, tokens: list[Token], place: int, *, bare: bool) -> list[Claim]:
        """A number that a line of a reply on one dimension begins with; `bare` where it is all that the line says."""
        sentence = next(_sentences(tokens))
        number = sentence[result_of(sentence, 0)].number
        if number is None or self._is_planted(line, sentence, 0) or supposed_number(sentence, 0):
            return []
        if rivalled(sentence, 0, self._labels.dimensions[0].high):
            number = Number(0, choice=True)
        elif sum(token.kind is Kind.NUMBER for token in tokens) > 1 and all(_is_silent(token) for token in tokens):
            return []
        return [self._make(0, number, Firmness.STATED if bare else Firmness.GUESSED, place)]

    def _corrections(self, line: str, tokens: list[Token], place: int) -> list[Claim]:
        """`Correction: 5` counts beside what it corrects, which is a conflict: which of them is meant is a guess.

        Where several dimensions are asked and none is named it may be of any.
        """
        claims: list[Claim] = []
        for sentence in _hesitating(_sentences(tokens)):
            at = corrected(sentence)
            number = None if at is None else sentence[at].number
            if at is None or number is None or self._is_planted(line, sentence, at):
                continue
            named = next(
                (token.label for token in reversed(sentence[max(0, at - REACH) : at]) if token.label >= 0), None
            )
            if self._labels.single:
                named = 0
            if named is not None:
                made = [self._make(named, number, Firmness.STATED, place)]
            elif any(token.word == "final" for token in sentence[:at]):
                continue  # of all dimensions together
            else:
                choice, every = Number(0, choice=True), range(len(self._labels.dimensions))
                made = [self._make(index, choice, Firmness.STATED, place) for index in every]
            claims += [replace(one, corrects=True) for one in made]
        return claims

    def _general(self, line: str, sentences: Iterable[list[Token]], place: int) -> list[Claim]:
        """Where one dimension is asked: `Rating: 8`, `I give it an 8`, `8/10`."""
        top = self._labels.dimensions[0].high
        claims: dict[int, Claim] = {}
        for sentence in sentences:
            for at, token in enumerate(sentence):
                found: Bound | None = None
                if token.kind is Kind.GENERAL or token.word in ASSIGNING:
                    found = follow(sentence, at, top)
                    found = None if found is None or found.wide else found
                elif token.number is not None and token.number.top == top and not supposed_number(sentence, at):
                    found = Bound(at, False, False)
                if found is None:
                    continue
                number = sentence[found.place]
                if self._is_planted(line, sentence, at) or self._is_planted(line, sentence, found.place):
                    continue
                leads = at <= PRELUDE and all(earlier.kind is Kind.GENERAL for earlier in sentence[:at])
                firm = leads and found.separated and (self._names_score or sentence[0].at <= 1)
                firmness = Firmness.GUESSED
                if firm:  # where `score` is the dimension's own name, `rating` is another word for it
                    firmness = Firmness.STATED if self._names_score else Firmness.MENTIONED
                assert number.number is not None
                rival = rivalled(sentence, found.place, top)
                one = self._make(0, Number(0, choice=True) if rival else number.number, firmness, place)
                claims[number.at] = max(one, claims.get(number.at, one), key=lambda claim: claim.firmness)
        return list(claims.values())


def untagged(text: str, labels: Labels) -> str:
    """`<naturalness>8</naturalness>` as a line `naturalness: 8`, and the text without tags that only set it."""

    def line(match: re.Match[str]) -> str:
        name = match.group(2)
        if labels.exact(name) is None and not labels.is_general(name):
            sets = name.split()[0].lower() if name.strip() else ""
            if sets in _INLINE or sets in _BLOCK:
                return "" if sets in _INLINE else "\n"
            return f" {name} " if number_in(name) is not None else match.group()
        return "\n" if match.group(1) else f"\n{name}: "

    return _TAG.sub(line, text)


def _prefix_end(line: str) -> int:
    match = _PREFIX.match(line)
    return 0 if match is None else match.end()


def _edges(lines: Sequence[str]) -> set[int]:
    filled = [place for place, line in enumerate(lines) if line.strip()]
    return {filled[0], filled[-1]} if filled else set()


def _sentences(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    sentence: list[Token] = []
    for token in tokens:
        if token.kind is Kind.STOP:
            if sentence:
                yield sentence
            sentence = []
        else:
            sentence.append(token)
    if sentence:
        yield sentence


def _hesitating(sentences: Iterable[list[Token]]) -> Iterator[list[Token]]:
    """Sentences, and `Wait, no.` together with the one after it, which says what is right instead."""
    held: list[Token] = []
    for sentence in sentences:
        whole = [*held, *sentence]
        held = whole if {token.word for token in whole} <= CORRECTING | {",", "no"} else []
        if not held:
            yield whole


def _heading(tokens: Sequence[Token], before: int | None) -> int | None:
    """The dimension whose heading this line is; a line that is none leaves the heading before it in force."""
    if not tokens or tokens[0].kind is not Kind.LABEL:
        return before
    short = all(token.kind is Kind.GENERAL or token.word in OPENING | {":", "("} for token in tokens[1:])
    led = len(tokens) > 1 and tokens[1].word in SEPARATING
    return tokens[0].label if short or led else before


def _leads(sentence: Sequence[Token], at: int, bound: dict[int, Claim]) -> bool:
    """Whether a label begins its line, or goes on with a row of labelled numbers that does."""
    if at <= PRELUDE and all(token.word in LEADING or token.kind is Kind.GENERAL for token in sentence[:at]):
        return True
    near = range(max(0, at - REACH), at)
    before = next((place for place in reversed(near) if sentence[place].word not in LISTING), None)
    stated = any(place in bound and bound[place].firmness is Firmness.STATED for place in near)
    return stated and before is not None and sentence[before].kind is Kind.NUMBER


def _is_silent(token: Token) -> bool:
    """Whether a token says nothing beside numbers that stand in a row."""
    return token.kind in (Kind.NUMBER, Kind.SCALE) or token.word in BETWEEN


def _takes_back(sentence: Sequence[Token], label: int, number: int) -> bool:
    """Whether the words before a label announce a correction: `Edit: Score should be 5`."""
    before = sentence[max(0, label - REACH) : label]
    return corrected([*before, *sentence[number : number + 2]]) == len(before) or (
        number + 1 < len(sentence) and sentence[number + 1].word == "instead"
    )


def _after(number: int) -> range:
    return range(number + 1, number + 5)
