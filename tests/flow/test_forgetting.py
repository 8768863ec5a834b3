"""What is forgotten is in no file any more, and the boards that were published are proved from what is left of it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from groundswell.files import write_rows, write_text
from groundswell.flow.forgetting import forget
from groundswell.flow.moving import differences, move, replay
from groundswell.flow.running import RunOptions, run, totals
from groundswell.flow.standing import explain, publish, standings
from groundswell.flow.workspace import Workspace, workspace
from groundswell.records import (
    Blocked,
    Decision,
    Done,
    Failure,
    Judgment,
    NotApplicable,
    Output,
    Post,
    Ruling,
    Sample,
    Unit,
    UnitState,
    Verdict,
    Vote,
    WithdrawnSample,
)

WORKSPACE = """
[[suite]]
name = "custom"
edition = "2026-11"
source = "rows.jsonl"

[panel]
quorum = 1
baselines = ["blank", "noise", "copy-input"]

[measure]
metrics = ["color"]
"""
SECRET = "Marmalade lighthouse"
PROMPT = f"{SECRET} number {{}} at dusk, seen from the rowing boat"
URL = "https://x.com/somebody/status/77"
REPLY = f"I was shown a {SECRET.lower()}, and I like it"


@pytest.fixture
def space(tmp_path: Path):
    """Six samples, of which two were made of one post that is going to be forgotten; judged, measured, voted on."""
    check = {"kind": "size", "width": 96, "height": 64}
    rows = [
        {"id": n, "suite": "custom", "task": "t2i", "prompts": {"en": PROMPT.format(n) if n < 2 else f"Picture {n}"},
         "checks": [check], "tags": {"use_case": "consumer", **({"template": PROMPT} if n < 2 else {})}}
        for n in range(6)
    ]  # fmt: skip
    write_rows(tmp_path / "rows.jsonl", rows)
    write_text(tmp_path / "groundswell.toml", WORKSPACE)
    with workspace(tmp_path) as space:
        run(space, RunOptions())
        _told_of(space)
        publish(space, standings(space))
        (tmp_path / "rows.jsonl").unlink()  # the person's own file
        yield space


def _told_of(space: Workspace) -> None:
    """The post, and everywhere that words of it can come to stand."""
    post = Post(platform="x", id="77", url=URL, text=PROMPT.format(0), title=SECRET)
    samples = [replace(each, origins=(post.key,)) for each in _samples(space) if SECRET in each.prompts["en"]]
    picked = {"comments": [{"post": "other", "verdict": "failure", "text": f"that {SECRET} number again"}]}
    space.store.put([post, Decision(subject="other", question="feedback", reader="person:ann", answer=picked)])
    space.store.put(samples, renew=True)
    shown = [each for each in space.store.records(Output) if each.sample in {sample.key for sample in samples}]
    space.store.put(_votes(space), renew=True)
    judged = next(each for each in space.store.records(Judgment) if each.outputs[0] == shown[0].key)
    silent = next(each for each in space.store.records(NotApplicable) if each.output == shown[0].key)
    failed = Failure(
        job="j", sample=samples[0].key, endpoint=shown[0].endpoint, what="provider", reason=REPLY, transient=False
    )
    space.store.put([replace(judged, reply=REPLY), replace(silent, why=f"nothing asks for {SECRET}")], renew=True)
    space.store.put(
        [
            failed,
            Blocked(
                outputs=judged.outputs, judge="checks", rubric=judged.rubric, sample=judged.sample, repeat=1, why=REPLY
            ),
            Ruling(subject=samples[0].key, what="queue", by="rule", why=REPLY, time=datetime(2026, 11, 1, tzinfo=UTC)),
        ]
    )  # fmt: skip
    space.store.finish("generate", [(Unit(key="j", payload=None), Done(state=UnitState.FAILED, why=REPLY))])


def _samples(space: Workspace) -> list[Sample]:
    return list(space.store.records(Sample))


def _votes(space: Workspace) -> list[Vote]:
    by_sample: dict[str, list[Output]] = {}
    for output in space.store.records(Output):
        by_sample.setdefault(output.sample, []).append(output)
    return [
        Vote(sample=sample, left="blank", right="copy-input", left_output=outputs[0].key, right_output=outputs[1].key,
             winner=("left", "right", "tie")[n % 3], by=f"s{n}", ballot=f"{sample}{n}", seconds_left=9.0,
             seconds_right=9.0)
        for sample, outputs in by_sample.items() for n in range(4)
    ]  # fmt: skip


def test_boards_say_the_same_before_and_after_and_replay_proves_it(space: Workspace) -> None:
    before = {(each.board.name, each.board.modality): each.board for each in standings(space)}
    gone = forget(space, URL)
    assert (gone["posts"], gone["samples"]) == (1, 2)
    for standing in standings(space):
        board = standing.board
        assert list(differences(before[board.name, board.modality], board)) == []
        assert board.method["withdrawn"]["samples"] == 2
    found = replay(space, "2026-11")
    assert [board["equal"] for board in found["boards"]] == [True], found["boards"]
    assert found["boards"][0]["withdrawn"]["samples"] == 2
    assert found["withdrawn"]["sample"] == 2
    assert found["withdrawn"]["post"] == 1


def test_no_file_holds_a_word_of_it(space: Workspace) -> None:
    folder = space.config.folder
    assert holding(folder) != []
    gone = forget(space, URL)
    assert gone["scrubbed"]
    assert gone["write_again"] == ["snapshot", "site"]
    publish(space, standings(space))
    assert holding(folder) == []
    # Compressed columns say nothing to a search for bytes.
    assert all(SECRET not in str(_read(path)) for path in folder.rglob("*.parquet"))


def holding(folder: Path) -> list[str]:
    """Files that hold the words in any spelling."""
    forms = [
        form for word in (SECRET, SECRET.lower(), SECRET.upper()) for form in (word.encode(), word.encode("utf-16-le"))
    ]
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [str(path.relative_to(folder)) for path in files if any(form in path.read_bytes() for form in forms)]


def _read(path: Path) -> list[tuple[object, ...]]:
    import polars as pl

    return pl.read_parquet(path).rows()


def test_a_comment_that_a_person_picked_keeps_its_verdict_and_loses_its_words(space: Workspace) -> None:
    forget(space, URL)
    (decision,) = (each for each in space.store.records(Decision) if each.reader == "person:ann")
    assert decision.answer == {"comments": [{"post": "other", "verdict": "failure", "text": "withdrawn"}]}


def test_a_file_of_ones_own_that_holds_its_words_is_named_and_left(space: Workspace) -> None:
    own = space.config.folder / "export.json"
    write_rows(own, [{"text": PROMPT.format(0)}])
    assert forget(space, URL)["exports"] == ["export.json"]
    assert SECRET in own.read_text()


def test_what_is_left_is_shown_to_nobody_and_made_again_by_nobody(space: Workspace) -> None:
    pictures = {picture.digest for output in space.store.records(Output) for picture in output.pictures}
    forget(space, URL)
    assert len(_samples(space)) == 4
    assert space.store.kinds()["sample"] == 4
    assert {output.sample for output in space.store.records(Output)} == {sample.key for sample in _samples(space)}
    kept = {picture.digest for output in space.store.records(Output) for picture in output.pictures}
    assert set(space.blobs.digests()) & (pictures - kept) == set()
    run(space, RunOptions())
    assert all(stage["missing"] == 0 for stage in totals(space)["stages"].values())
    assert len(_samples(space)) == 4


def test_explain_ends_at_the_tombstone(space: Workspace) -> None:
    forget(space, URL)
    (gone, _) = space.store.with_withdrawn().records(WithdrawnSample)
    found = explain(space, "custom", "blank", gone.key)
    assert found["sample"]["withdrawn"]["why"] == "forgotten by request"
    assert [post["gone"] for post in found["posts"]] == [True]
    verdicts = [verdict for output in found["outputs"] for verdict in output["verdicts"]]
    assert sum("scores" in verdict for verdict in verdicts) == 2
    assert all("reply" not in verdict for verdict in verdicts)
    assert SECRET.lower() not in str(found).lower()


def test_what_is_left_moves_with_the_workspace(space: Workspace, tmp_path: Path) -> None:
    forget(space, URL)
    place = str(tmp_path / "moved.sqlite")
    move(space, [place], lambda what, count: None)
    write_text(tmp_path / "groundswell.toml", f'[workspace]\nstore = "{place}"\n{WORKSPACE}')
    with workspace(tmp_path) as moved:
        assert [board["equal"] for board in replay(moved, "2026-11")["boards"]] == [True]


def test_verdicts_keep_their_numbers_and_lose_their_words(space: Workspace) -> None:
    before = {each.key: each for each in space.store.records(Judgment)}
    forget(space, URL)
    for verdict in space.store.records(Judgment):
        assert verdict.scores == before[verdict.key].scores
    withdrawn = [each for each in space.store.records(Verdict) if space.store.get(each.sample) is None]
    assert {each.reply for each in withdrawn} == {None}
    assert [each.why for each in withdrawn if isinstance(each, Blocked)] == ["withdrawn"]
