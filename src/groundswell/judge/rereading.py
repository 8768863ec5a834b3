"""Stored raw replies read again, when the reader has become better: nobody is asked and nothing is paid.

A reply that was blocked, cut by the host or never came stays what it was. What to do with the difference is not known
here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import structs

from groundswell.ask.asking import ASKED_AGAIN, BETWEEN
from groundswell.ask.reading import Why, read
from groundswell.judge.checks import ChecksJudge
from groundswell.records import Judgment, Rubric, Unread, Verdict


def reread(verdict: Verdict, rubric: Rubric) -> Verdict:
    """The verdict as today's reader takes its raw reply; the same record where nothing has changed.

    Where missing scores were asked for again, the second reply gives these and no others.
    """
    if not isinstance(verdict, Judgment | Unread) or verdict.reply is None or not rubric.dimensions:
        return verdict
    first, *later = verdict.reply.split(BETWEEN)
    found = read(first, rubric.dimensions)
    scores, missing = dict(found.scores), found.missing
    for reply in later if found.why in ASKED_AGAIN and found.scores else ():
        wanted = [dimension for dimension in rubric.dimensions if dimension.name in missing]
        again = read(reply, wanted)
        scores |= again.scores
        missing = again.missing
    scores = {dimension.name: scores[dimension.name] for dimension in rubric.dimensions if dimension.name in scores}
    common = {name: getattr(verdict, name) for name in _COMMON}
    if missing:
        fresh: Verdict = Unread(why=str(found.why or Why.MISSING), partial=scores, **common)
    else:
        flags = verdict.flags if isinstance(verdict, Judgment) else ()
        fresh = Judgment(scores=scores, flags=flags, **common)
    return verdict if fresh == verdict else fresh


_COMMON = tuple(field.name for field in structs.fields(Verdict))


def changes(verdicts: Iterable[Verdict], rubrics: Mapping[str, Rubric]) -> Iterator[tuple[Verdict, Verdict]]:
    """Verdicts that today's reader takes otherwise, each with what it takes. `rubrics` by key.

    A verdict on a rubric that is not given is passed over, and so is one that was measured: its reply is evidence, and
    no words that a score was read from. The new record takes the place of the old one: both answer
    one question, and where the type changed (Unread, Judgment) they have two keys.
    """
    for verdict in verdicts:
        rubric = None if verdict.judge == ChecksJudge.name else rubrics.get(verdict.rubric)
        if rubric is not None and (fresh := reread(verdict, rubric)) is not verdict:
            yield verdict, fresh
