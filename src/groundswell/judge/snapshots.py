"""Which model a judge really is: whether its id names a dated snapshot, and which of its verdicts one board may mix.

A host may change what stands behind an alias between two calls. One judge of one board is one model: of verdicts that
different models answered, those of the model that answered most count, and the others are left out and said. Of judges
of one name that differ in model or settings, only one counts. What a host answers with is not checked for truth.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from groundswell.records import Rubric, Verdict

DATED = re.compile(
    r"""
    (?<!\d) 20\d\d [-_.]? (?:0[1-9]|1[0-2]) (?: [-_.]? (?:0[1-9]|[12]\d|3[01]) )? (?!\d)  # 2024-08-06, 20250514
    | - (?:0[1-9]|1[0-2]) - (?:0[1-9]|[12]\d|3[01]) (?!\d)  # preview-05-20
    | [-@] \d{3,4} $  # -001, -0613
    | [@:] (?:sha256:)? [0-9a-f]{7,64} $  # the digest of a revision
    """,
    re.VERBOSE,
)
"""What makes an id that of one snapshot. `-latest`, and a family's number such as 2.0, do not."""


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """Verdicts of which each judge is one model, and what was left out for that."""

    verdicts: tuple[Verdict, ...]
    models: Mapping[str, str]
    """By judge, the model id that its host answered with, where it said one."""
    left_out: Mapping[str, int]
    """Verdicts by reason."""


def is_dated(model: str) -> bool:
    """Whether a model id names one snapshot, so that the same model answers tomorrow."""
    return "latest" not in model and DATED.search(model) is not None


def alias_warning(name: str, model: str) -> str | None:
    """What a person should know of a judge whose id is an alias; None for a dated snapshot."""
    if is_dated(model):
        return None
    return f"{model} of {name} is an alias, whose host may change the model behind it; name a dated snapshot"


def one_model_each(verdicts: Sequence[Verdict]) -> Served:
    """Without the verdicts that another model answered than the one that answered most of that judge's.

    Equal counts: the one that answered first. A host that named no model is taken at its word for the judge's.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for verdict in verdicts:
        if verdict.served_model is not None:
            counts[verdict.judge][verdict.served_model] += 1
    models = {judge: count.most_common(1)[0][0] for judge, count in counts.items()}
    kept = tuple(
        verdict for verdict in verdicts if verdict.served_model in (None, models.get(verdict.judge))
    )  # fmt: skip
    left_out = {
        f"verdict of {judge} answered by {model} instead of {models[judge]}": number
        for judge, count in counts.items()
        for model, number in count.items()
        if model != models[judge]
    }
    return Served(verdicts=kept, models=models, left_out=left_out)


def one_judge_a_name(judges: Iterable[str], current: Collection[str]) -> frozenset[str]:
    """Of judges `name@key` in the order in which they judged, one a name: the configured one, else the newest.

    A judge whose model was exchanged under its name is another judge, and does not vote twice.
    """
    newest: dict[str, str] = {}
    for judge in judges:
        name = judge.partition("@")[0]
        if newest.get(name) not in current:
            newest[name] = judge
    return frozenset(newest.values())


def one_rubric_a_name(verdicts: Iterable[Verdict], rubrics: Mapping[str, Rubric]) -> frozenset[str]:
    """Of rubrics with which verdicts were given, in their order: one a name, the newest, and one origin a suite.

    A rubric whose text or rules were changed is another rubric, and so is a person's copy of an original beside ours:
    their scores are on different scales even where they look alike. Rubrics that are not known are all kept.
    """
    last = {verdict.rubric: place for place, verdict in enumerate(verdicts)}
    newest_first = sorted(last, key=lambda key: -last[key])
    origin: dict[str, object] = {}
    newest: dict[str, str] = {}
    for key in newest_first:
        if key not in rubrics:
            continue
        name, given = rubrics[key].name, rubrics[key].rules.get("origin")
        if origin.setdefault(name.partition("-")[0], given) == given:
            newest.setdefault(name, key)
    return frozenset(newest.values()) | (last.keys() - rubrics.keys())
