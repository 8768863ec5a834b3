"""The demo's tasks: complete, measurable, and told apart by the checks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from groundswell import pictures
from groundswell.errors import UserError
from groundswell.judge.checks import COUNT, RULES, ChecksJudge
from groundswell.providers import instructions, local
from groundswell.records import Answer, Judgment, Output, Picture, Sample
from groundswell.suites import photographs


class Kept(dict[str, bytes]):
    """Pictures by digest, counting how often one was put."""

    puts = 0

    def keep(self, data: bytes) -> Picture:
        self.puts += 1
        picture = pictures.describe(data)
        self[picture.digest] = data
        return picture


@pytest.fixture(scope="module")
def kept() -> Kept:
    return Kept()


@pytest.fixture(scope="module")
def samples(kept: Kept) -> list[Sample]:
    return list(photographs.Photographs().samples(photographs.folder(), kept.keep))


def test_there_are_about_forty_tasks_and_each_is_its_own(samples: list[Sample]) -> None:
    assert 40 <= len(samples) <= 45
    assert len({sample.key for sample in samples}) == len(samples)
    assert len({sample.label for sample in samples}) == len(samples)


def test_every_photograph_is_stored_once(samples: list[Sample], kept: Kept) -> None:
    assert kept.puts == len({sample.inputs[0].digest for sample in samples}) == 9


def test_an_unstated_licence_may_not_be_passed_on(samples: list[Sample]) -> None:
    licences = {str(s.label).split("-")[0]: s.inputs[0].licence for s in samples}
    assert {name for name, licence in licences.items() if licence and not licence.redistribute} == {
        "moon",
        "motorcycle",
    }
    assert all(licences.values())


def test_every_task_can_be_measured_and_tagged(samples: list[Sample]) -> None:
    for sample in samples:
        assert sample.checks
        assert {check.name for check in sample.checks} <= {*RULES, COUNT}
        assert sample.tags.keys() == {"use_case", "capability"}
    assert len({sample.tags["use_case"] for sample in samples}) == 10


def test_both_languages_ask_for_the_same(samples: list[Sample]) -> None:
    for sample in samples:
        english, chinese = (
            [
                (o.name, o.box, o.size, o.degrees, o.axis, o.colours, o.colour)
                for o in instructions.read(sample.prompts[code])
            ]
            for code in ("en", "zh")
        )
        assert english == chinese != [], sample.label


def test_the_checks_tell_a_careful_editor_from_the_baselines(samples: list[Sample], kept: Kept) -> None:
    judge = ChecksJudge(kept.__getitem__)
    models = [local.make(name) for name in ("opencv-careful", "copy-input", "blank")]
    totals: Counter[str] = Counter()
    for sample, model, answer in local.outputs(samples, models, kept.__getitem__):
        assert isinstance(answer, Answer), (sample.label, model.name, answer)
        output = Output(
            job="j", sample=sample.key, endpoint=model.name, pictures=tuple(map(kept.keep, answer.pictures))
        )
        verdict = judge.grade(sample, output)
        assert isinstance(verdict, Judgment), (sample.label, verdict.reply)
        totals[model.name] += verdict.scores["grade"] / len(samples)
        if model.name == "opencv-careful":
            assert verdict.scores["grade"] >= 8, sample.label
    assert totals["opencv-careful"] > 9.5
    assert totals["copy-input"] < 2.5
    assert totals["blank"] < 1.5


def test_a_folder_without_the_photographs_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"astronaut\.png: .*reinstall scikit-image"):
        next(
            photographs.Photographs().samples(
                tmp_path, lambda data: Picture(digest="", media_type="", width=1, height=1)
            )
        )
