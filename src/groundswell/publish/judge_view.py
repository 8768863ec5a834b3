"""A judge as its page shows it: what it was asked, what came of asking, how it graded, and whom it agrees with.

Counts over the snapshot's verdicts. How far a judge agrees with people is on the board that was calibrated; nothing
of it is computed here.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean, median
from typing import Any, Final

from markupsafe import Markup

from groundswell.publish import figures, wording
from groundswell.publish.facts import Facts, Model
from groundswell.records import Blocked, Judgment, Rubric, Truncated, Unread, Verdict

BINS: Final = 18
"""Columns of a distribution of scores."""

MOST_STEPS: Final = 21
"""Whole scores on a scale of fewer steps get a column each."""


def judges(facts: Facts) -> Mapping[str, Sequence[tuple[str, Verdict]]]:
    """Verdicts by judge, both in the order of names and keys."""
    found: dict[str, list[tuple[str, Verdict]]] = defaultdict(list)
    for key, verdict in facts.snapshot.verdicts.items():
        found[verdict.judge].append((key, verdict))
    return dict(sorted(found.items()))


def report(facts: Facts, judge: str, verdicts: Sequence[tuple[str, Verdict]]) -> dict[str, Any]:
    """Everything that the page of a judge needs."""
    came = Counter(type(verdict).__name__ for _, verdict in verdicts)
    judgments = [verdict for _, verdict in verdicts if isinstance(verdict, Judgment)]
    seconds = [verdict.seconds for verdict in judgments if verdict.seconds is not None]
    costs = [verdict.cost for _, verdict in verdicts if verdict.cost is not None]
    served = sorted({verdict.served_model for _, verdict in verdicts if verdict.served_model})
    rubrics = {verdict.rubric for _, verdict in verdicts}
    return {
        "name": judge,
        "slug": wording.slug(judge),
        "readout": [
            ("asked", wording.number(len(verdicts)), ""),
            ("read", wording.number(len(judgments)), wording.percent(len(judgments) / len(verdicts))),
            ("unread", wording.number(came[Unread.__name__]), ""),
            ("blocked", wording.number(came[Blocked.__name__]), ""),
            ("cut off", wording.number(came[Truncated.__name__]), ""),
            *([("median time", wording.seconds(median(seconds)), f"n = {len(seconds)}")] if seconds else []),
            *([("spent", wording.dollars(sum(costs)), "")] if any(costs) else []),
        ],
        "served": served,
        "mark": None if (card := facts.judge(judge).card) is None else card.mark,
        "whys": Counter(verdict.why for _, verdict in verdicts if isinstance(verdict, Unread | Blocked)).most_common(8),
        "rubrics": sorted((facts.snapshot.rubrics[key] for key in rubrics if key in facts.snapshot.rubrics), key=_name),
        "distributions": _distributions(facts, judgments),
        "means": _means(facts, judgments),
    }


def own_family(facts: Facts, judge: str) -> list[Model]:
    """Models of the judge's own family on boards for which it judged, in the order of all pages."""
    names = {
        model for board in facts.snapshot.boards for model, own in facts.self_judged(board).items() if judge in own
    }
    return [facts.models[name] for name in facts.order if name in names]


def _name(rubric: Rubric) -> tuple[str, str]:
    return rubric.name, rubric.key


def _distributions(facts: Facts, judgments: Sequence[Judgment]) -> list[dict[str, Any]]:
    """By rubric and dimension, how often each score was given."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for judgment in judgments:
        for name, score in judgment.scores.items():
            found[judgment.rubric, name].append(score)
    answer = []
    for (rubric_key, name), scores in sorted(found.items()):
        rubric = facts.snapshot.rubrics.get(rubric_key)
        scale = next((each for each in rubric.dimensions if each.name == name), None) if rubric else None
        low, high = (min(scores), max(scores)) if scale is None else (scale.low, scale.high)
        answer.append(
            {
                "rubric": rubric_key[:12] if rubric is None else rubric.name,
                "name": name,
                "n": len(scores),
                "mean": fmean(scores),
                "low": low,
                "high": high,
                "svg": _histogram(scores, low, high),
            }
        )
    return answer


def _histogram(scores: Sequence[float], low: float, high: float) -> Markup:
    if high - low < MOST_STEPS and all(score == int(score) for score in scores):
        told = Counter(int(score) for score in scores)
        return figures.bars([(str(step), told[step]) for step in range(math.floor(low), math.ceil(high) + 1)])
    width = (high - low) / BINS or 1.0
    counts = [0] * BINS
    for score in scores:
        counts[min(BINS - 1, max(0, int((score - low) / width)))] += 1
    return figures.bars([(f"{low + place * width:.3g} and up", count) for place, count in enumerate(counts)])


def _means(facts: Facts, judgments: Sequence[Judgment]) -> list[dict[str, Any]]:
    """By model, its mean of the first dimension and how many of its outputs were graded."""
    outputs = facts.snapshot.outcomes
    found: dict[str, list[float]] = defaultdict(list)
    for judgment in judgments:
        if len(judgment.outputs) == 1 and judgment.scores and (output := outputs.get(judgment.outputs[0])) is not None:
            found[facts.name_of(output.endpoint)].append(fmean(judgment.scores.values()))
    rows = [{"model": facts.models[name], "mean": fmean(many), "n": len(many)} for name, many in found.items()]
    return sorted(rows, key=lambda row: facts.order[row["model"].name])


def agreement(facts: Facts) -> list[dict[str, Any]]:
    """Any two judges on the same rubric: of the pairs of outputs that both told apart, the share told apart alike."""
    grades: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    by_sample: dict[tuple[str, str], dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for verdict in facts.snapshot.verdicts.values():
        if isinstance(verdict, Judgment) and len(verdict.outputs) == 1 and verdict.scores:
            score = fmean(verdict.scores.values())
            grades[verdict.judge][verdict.sample, verdict.outputs[0]] = score
            by_sample[verdict.sample, verdict.rubric][verdict.judge].setdefault(verdict.outputs[0], score)
    answer = []
    for one, other in combinations(sorted(grades), 2):
        alike = told = 0
        for graded in by_sample.values():
            mine, theirs = graded.get(one, {}), graded.get(other, {})
            for left, right in combinations(sorted(mine.keys() & theirs.keys()), 2):
                first, second = mine[left] - mine[right], theirs[left] - theirs[right]
                if first and second:
                    told += 1
                    alike += (first > 0) == (second > 0)
        if told:
            answer.append({"one": one, "other": other, "share": alike / told, "n": told})
    return answer
