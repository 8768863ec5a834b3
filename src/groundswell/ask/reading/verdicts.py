"""Verdicts between two answers: `[[A>>B]]`, `[[B>A]]`, `[[A=B]]`, `[[A]]`, `[[C]]`, `[[tie]]`.

Several different ones are no verdict: a careful reader may guess which was meant, a benchmark must not.
"""

from __future__ import annotations

import re
from enum import StrEnum

import msgspec

from groundswell.ask.reading.claims import Why
from groundswell.ask.reading.cleaning import plain, unwrapped, without_emphasis, without_quotations, without_thinking


class Verdict(StrEnum):
    """Which of two answers is better, and how clearly."""

    A_MUCH = "A>>B"
    A = "A>B"
    TIE = "A=B"
    B = "B>A"
    B_MUCH = "B>>A"


class VerdictRead(msgspec.Struct, frozen=True):
    """Exactly one of `verdict` and `why` is set."""

    verdict: Verdict | None
    why: Why | None


_TAG = re.compile(r"\[\[\s*([^\[\]]{1,12}?)\s*\]\]")
_FORMS = {
    "A>>B": Verdict.A_MUCH, "A>B": Verdict.A, "A=B": Verdict.TIE, "B>A": Verdict.B, "B>>A": Verdict.B_MUCH,
    "B=A": Verdict.TIE, "B<A": Verdict.A, "A<B": Verdict.B, "A<<B": Verdict.B_MUCH, "B<<A": Verdict.A_MUCH,
    "A": Verdict.A, "B": Verdict.B, "C": Verdict.TIE, "TIE": Verdict.TIE, "A~B": Verdict.TIE, "A==B": Verdict.TIE,
}  # fmt: skip


def read_verdict(reply: str) -> VerdictRead:
    """The one verdict of a reply, or why there is none. Verdicts inside quotations do not count."""
    text = plain(reply)
    if not text:
        return VerdictRead(None, Why.EMPTY)
    text, cut = without_thinking(unwrapped(text))
    text, quoted = without_quotations(without_emphasis(text), _TAG)
    tags = ["".join(tag.group(1).split()).upper() for tag in _TAG.finditer(text)]
    verdicts = {_FORMS[tag] for tag in tags if tag in _FORMS}
    if len(verdicts) == 1 and not cut:
        return VerdictRead(verdicts.pop(), None)
    if len(verdicts) > 1:
        return VerdictRead(None, Why.CONFLICT)
    if cut or re.search(r"\[\[[^\[\]]{0,12}\]?$", text):
        return VerdictRead(None, Why.CUT)
    if quoted:
        return VerdictRead(None, Why.PLANTED)
    return VerdictRead(None, Why.UNPARSEABLE if tags else Why.NO_SCORE)
