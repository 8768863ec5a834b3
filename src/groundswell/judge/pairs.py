"""Direct pairwise judging: every two outputs of a sample are shown to every judge in both orders.

The stage asks; `duels_of` puts the two answers of a pair together. What a flip means is said in `arithmetic`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from groundswell.ask.asking import Desk, Question, Shown
from groundswell.ask.rubrics import fenced, render
from groundswell.judge.arithmetic import Duel, pair_verdict
from groundswell.judge.stage import AskJudges, samples_of
from groundswell.ports import Store
from groundswell.records import Edition, Judgment, Output, Rubric, Sample, Unit, Verdict, Winner


class AskPairs(AskJudges):
    """`ports.Stage`: every judge compares every two outputs of a sample in both orders."""

    def __init__(
        self,
        edition: Edition,
        desks: Sequence[Desk],
        rubric: Rubric,
        *,
        repeats: int = 1,
        passed_over: str | None = None,
    ) -> None:
        """`passed_over`: key of an endpoint whose outputs are references and no entries."""
        super().__init__(edition, desks, lambda sample, output: (), repeats=repeats)
        self._rubric = rubric
        self._passed_over = passed_over

    def units(self, store: Store) -> Iterator[Unit]:
        """Sample by sample, both orders of a pair one after the other."""
        samples = samples_of(self._edition, store)
        entries = (output for output in store.records(Output) if output.endpoint != self._passed_over)
        for outputs in matched(output for output in entries if output.sample in samples):
            for pair in combinations(outputs, 2):
                for first, second in (pair, pair[::-1]):
                    question = pair_question(samples[first.sample], first, second, self._rubric)
                    for desk in self._desks:
                        yield from self._asked(question, desk)


def matched(outputs: Iterable[Output]) -> Iterator[list[Output]]:
    """Outputs that may be compared: one sample, one language, one draw; in the order of their endpoints."""
    shelves: dict[tuple[object, ...], dict[str, Output]] = defaultdict(dict)
    for output in outputs:
        shelves[output.sample, output.language, output.draw].setdefault(output.endpoint, output)
    for shelf in shelves.values():
        yield [shelf[endpoint] for endpoint in sorted(shelf)]


def pair_question(sample: Sample, first: Output, second: Output, rubric: Rubric) -> Question:
    """The question which of two outputs is better, inputs first, every picture with its role."""
    language = first.language or next(iter(sample.prompts))
    parts: list[str | Shown] = [
        Shown(f"input picture {number}", picture) for number, picture in enumerate(sample.inputs, start=1)
    ]
    for number, output in enumerate((first, second), start=1):
        parts += [Shown(f"Result {number}", picture) for picture in output.pictures]
        if output.text is not None:
            parts.append(fenced(f"Result {number}", output.text))
    return Question(
        rubric=rubric,
        sample=first.sample,
        outputs=(first.key, second.key),
        text=render(rubric, instruction=sample.prompts[language]),
        parts=tuple(parts),
    )


def duels_of(
    verdicts: Iterable[Verdict], rubric: Rubric, outputs: Mapping[str, Output], models: Mapping[str, str]
) -> list[Duel]:
    """The two answers of every pair that a judge was asked about. `models` gives an endpoint's name by its key."""
    said: dict[tuple[str, str, str], Winner | None] = {}
    for verdict in verdicts:
        if verdict.rubric == rubric.key and len(verdict.outputs) == 2 and verdict.repeat == 0:
            first, second = verdict.outputs
            winner = pair_verdict(verdict, rubric.dimensions) if isinstance(verdict, Judgment) else None
            said[verdict.judge, first, second] = winner
    found: list[Duel] = []
    for judge, first, second in said:
        if (judge, second, first) in said and second < first:
            continue
        left, right = outputs[first], outputs[second]
        found.append(
            Duel(
                sample=left.sample,
                left=models[left.endpoint],
                right=models[right.endpoint],
                judge=judge,
                forward=said[judge, first, second],
                backward=said.get((judge, second, first)),
                left_output=first,
                right_output=second,
            )
        )
    return found
