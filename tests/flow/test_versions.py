"""What was changed never mixes with what it was before: rubrics, judges, metrics, methodologies; and boards say by what
they were computed."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from groundswell import __version__
from groundswell.ask import rubrics
from groundswell.files import write_text
from groundswell.flow.measuring import measured_of
from groundswell.flow.standing import standings
from groundswell.flow.workspace import Workspace, workspace
from groundswell.judge.snapshots import one_rubric_a_name
from groundswell.records import (
    Board,
    Edition,
    Endpoint,
    Judgment,
    Measurement,
    Output,
    Rubric,
    Sample,
    Vote,
    Winner,
)
from groundswell.suites.templates import OURS, WORD_FOR_WORD

WORKSPACE = """
[[judge]]
name = "j"
host = "openai"
base_url = "http://127.0.0.1:9/v1"
model = "{model}"

[panel]
judges = ["j"]
quorum = 1

[arena]
methodology = "{methodology}"
filters = false
"""
SAMPLES = [Sample(suite="talk", task="chat", prompts={"en": f"question {n}"}) for n in range(8)]
MODELS = [Endpoint(name=name, host="openai", model=name) for name in ("a", "b")]
OUTPUTS = {
    (sample.key, model.name): Output(
        job=f"{sample.key}{model.name}", sample=sample.key, endpoint=model.key, text=model.name
    )
    for sample in SAMPLES
    for model in MODELS
}  # fmt: skip
EDITION = Edition(suite="talk", label="1", samples=tuple(sample.key for sample in SAMPLES), languages=("en",))
OLD = rubrics.load(OURS / "echo-chat.md")
NEW = replace(OLD, text=OLD.text + "\nBe fair.", rules={**OLD.rules, "version": 2})


def configure(folder: Path, *, model: str = "m-2026-11-01", methodology: str = "2026-11") -> None:
    write_text(folder / "groundswell.toml", WORKSPACE.format(model=model, methodology=methodology))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    configure(tmp_path)
    with workspace(tmp_path) as space:
        space.store.put([*SAMPLES, *MODELS, *OUTPUTS.values(), EDITION])
    return tmp_path


def judge(space: Workspace, rubric: Rubric, better: str, samples: int = 8) -> None:
    """The configured judge's grades by a rubric: 9 for the better model, 3 for the other."""
    (configured,) = space.config.file.judge
    name = f"j@{configured.record().key[:8]}"
    dimensions = [dimension.name for dimension in rubric.dimensions]
    verdicts = [
        Judgment(
            outputs=(OUTPUTS[sample.key, model.name].key,), judge=name, rubric=rubric.key, sample=sample.key,
            scores=dict.fromkeys(dimensions, 9.0 if model.name == better else 3.0),
        )
        for sample in SAMPLES[:samples]
        for model in MODELS
    ]  # fmt: skip
    space.store.put([rubric, *verdicts])


def board(space: Workspace, name: str = "talk") -> Board:
    return next(each.board for each in standings(space) if each.board.name == name)


def grades(found: Board) -> tuple[float, float, int]:
    """Mean grades of both models, and of how many outputs of the first."""
    return found.coverage["a"]["mean_grade"], found.coverage["b"]["mean_grade"], found.coverage["a"]["scored"]


def test_a_changed_rubric_begins_anew(folder: Path) -> None:
    with workspace(folder) as space:
        judge(space, OLD, better="a")
        assert grades(board(space)) == (9.0, 3.0, 8)
        judge(space, NEW, better="b", samples=2)
        found = board(space)
    assert grades(found) == (3.0, 9.0, 2), "grades by the old rubric would be counted"
    assert found.method["versions"]["rubrics"] == {f"echo-chat@{NEW.key[:8]}": 2}


def test_a_judge_whose_model_was_exchanged_is_another_judge(folder: Path) -> None:
    with workspace(folder) as space:
        judge(space, OLD, better="a")
    configure(folder, model="m-2027-01-01")
    with workspace(folder) as space:
        judge(space, OLD, better="b", samples=2)
        found = board(space)
    assert grades(found) == (3.0, 9.0, 2)
    assert len(found.method["judges"]) == 1


def test_two_versions_of_a_metric_have_two_rows(folder: Path) -> None:
    with workspace(folder) as space:
        output = OUTPUTS[SAMPLES[0].key, "a"]
        space.store.put(
            Measurement(
                output=output.key, sample=output.sample, metric="structure", version=version, backend="x", value=n
            )
            for version, n in ((1, 10.0), (2, 0.5))
        )  # fmt: skip
        rows = measured_of(space, EDITION.samples)
    assert [(row["version"], row["mean"]) for row in rows] == [(1, 10.0), (2, 0.5)]


def test_votes_under_another_methodology_are_left_out_and_the_board_says_which_it_is(folder: Path) -> None:
    votes = [
        Vote(sample=sample.key, left="a", right="b", winner=winner, by=f"s{n}", ballot=f"{methodology}{n}{winner}",
             methodology=methodology)
        for methodology in ("2026-11", "2027-01")
        for n, sample in enumerate(SAMPLES)
        for winner in ((Winner.LEFT, Winner.RIGHT) if methodology == "2026-11" else (Winner.LEFT,))
    ]  # fmt: skip
    with workspace(folder) as space:
        space.store.put(votes)
        before = board(space, "arena-chat")
    configure(folder, methodology="2027-01")
    with workspace(folder) as space:
        after = board(space, "arena-chat")
    assert (before.method["methodology"], after.method["methodology"]) == ("2026-11", "2027-01")
    other = "cast under another methodology than its current-cohort models need"
    assert (before.left_out[other], after.left_out[other]) == (8, 16)
    assert [row.games for row in before.ratings] == [16, 16]


def test_boards_say_which_groundswell_computed_them(folder: Path) -> None:
    with workspace(folder) as space:
        judge(space, OLD, better="a")
        space.store.put([Vote(sample=SAMPLES[0].key, left="a", right="b", winner=Winner.LEFT, by="s", ballot="1",
                              methodology="2026-11")])  # fmt: skip
        assert {each.board.method["versions"]["groundswell"] for each in standings(space)} == {__version__}


def test_a_copy_of_an_original_never_counts_beside_ours() -> None:
    ours = rubrics.load(OURS / "cpi-add.md")
    theirs = replace(ours, name="cpi-general/add", rules={**ours.rules, "origin": WORD_FOR_WORD})
    known = {rubric.key: rubric for rubric in (ours, theirs, OLD)}
    verdicts = [
        Judgment(outputs=("o",), judge="j", rubric=rubric.key, sample="s", scores={}) for rubric in (ours, OLD, theirs)
    ]
    assert one_rubric_a_name(verdicts, known) == {OLD.key, theirs.key}
    assert one_rubric_a_name(verdicts[::-1], known) == {OLD.key, ours.key}
