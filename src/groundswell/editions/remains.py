"""What stays of records when their words are taken back: keys, winners and numbers, and boards can still be counted.

A sentence that quotes what is taken back reads `withdrawn` from then on. Which records are concerned is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from groundswell.records import (
    Blocked,
    Failure,
    Json,
    Outcome,
    Output,
    Sample,
    Unread,
    Verdict,
    WithdrawnFailure,
    WithdrawnOutput,
    WithdrawnSample,
)

WITHDRAWN = "withdrawn"

CATEGORIES = frozenset({"use_case", "capability", "style", "complaints"})
"""Tags that are words of a taxonomy; the others may quote the post."""

QUOTED = 16
"""Characters in a row, case and marks apart, that make a quotation."""

QUOTED_UNSPACED = 6
"""The same for scripts that write a word in one sign or two."""

Quotes = Callable[[str], bool]
"""Whether a sentence quotes what is taken back."""


def quotation_of(texts: Iterable[str]) -> Quotes:
    """Whether a sentence quotes one of the texts: it has so many characters in a row of it (`QUOTED`), or all of it."""
    plain = [text for each in texts if (text := _plain(each))]
    whole = " | ".join(plain)
    short = [text for text in plain if len(text) < QUOTED]

    def quotes(sentence: str) -> bool:
        said = _plain(sentence)
        width = QUOTED if said.isascii() else QUOTED_UNSPACED
        windows = (said[start : start + width] for start in range(len(said) - width + 1))
        return any(window in whole for window in windows) or any(len(text) > 3 and text in said for text in short)

    return quotes


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def without_reply(verdict: Verdict, quotes: Quotes) -> Verdict:
    """A verdict is content-free without its raw reply, and a board must still be recomputed from it."""
    bare = msgspec.structs.replace(verdict, reply=None)
    match bare:
        case Blocked():
            return msgspec.structs.replace(bare, why=WITHDRAWN)
        case Unread() if quotes(bare.why):
            return msgspec.structs.replace(bare, why=WITHDRAWN)
        case _:
            return bare


def numbers(value: Json) -> Json:
    """A JSON value without its texts; names of fields are the program's and stay."""
    match value:
        case Mapping():
            return {name: numbers(each) for name, each in value.items() if not isinstance(each, str)}
        case list() | tuple():
            return [numbers(each) for each in value if not isinstance(each, str)]
        case _:
            return value


def unquoting(value: Json, quotes: Quotes) -> Json:
    """A JSON value in which texts that quote read `withdrawn`; counts by such texts are added up."""
    match value:
        case str():
            return WITHDRAWN if quotes(value) else value
        case Mapping():
            kept = {name: unquoting(each, quotes) for name, each in value.items() if not quotes(name)}
            lost = [each for name, each in value.items() if quotes(name)]
            if lost and all(isinstance(each, int) for each in lost):
                kept[WITHDRAWN] = kept.get(WITHDRAWN, 0) + sum(lost)
            return kept
        case list() | tuple():
            return [unquoting(each, quotes) for each in value]
        case _:
            return value


def sample_left(sample: Sample, named: Iterable[str]) -> WithdrawnSample:
    """What boards ask of a sample: its kind, languages, categories, what it is about, and which models it `named`."""
    return WithdrawnSample(
        was=sample.key,
        suite=sample.suite,
        task=sample.task,
        prompts=dict.fromkeys(sample.prompts, " ".join(sorted(named))),
        tags={name: value for name, value in sample.tags.items() if name in CATEGORIES},
        origins=sample.origins,
        about=sample.about,
        size=sample.size,
        not_runnable=WITHDRAWN,
        quality=sample.quality,
    )


def output_left(output: Output) -> WithdrawnOutput:
    """What boards count of an output, with the length of its text."""
    length = None if output.text is None else len(output.text)
    return WithdrawnOutput(**_counted(output), served_model=output.served_model, characters=length)


def failure_left(failure: Failure) -> WithdrawnFailure:
    """What boards count of a failure."""
    return WithdrawnFailure(**_counted(failure), what=failure.what, reason=WITHDRAWN, transient=False)


def _counted(outcome: Outcome) -> dict[str, Any]:
    fields = ("job", "sample", "endpoint", "draw", "language", "started", "seconds", "cost")
    return {"was": outcome.key, **{name: getattr(outcome, name) for name in fields}}
