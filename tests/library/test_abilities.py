"""The same abilities as the command line, with the same arithmetic, on values of any kind."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from PIL import Image

import groundswell as gs
from groundswell.cli import main
from groundswell.errors import StoreError, UserError

VOTES = [
    {"left": left, "right": right, "winner": winner, "sample": str(n % 7), "w": 1.0 + n % 3}
    for n, (left, right, winner) in enumerate(
        [
            ("a", "b", "left"),
            ("b", "a", "left"),
            ("b", "c", "left"),
            ("c", "a", "tie"),
            ("a", "c", "left"),
            ("c", "b", "left"),
        ]
        * 8
    )
]


def command(*words: object) -> dict:
    result = CliRunner().invoke(main, [*map(str, words), "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "votes.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in VOTES))
    return path


@pytest.mark.parametrize(
    "kind",
    [
        list,
        pl.DataFrame,
        lambda rows: pl.DataFrame(rows).lazy(),
        pd.DataFrame,
        pa.Table.from_pylist,
        lambda rows: pl.DataFrame(rows).to_dict(as_series=False),
    ],
    ids=["dicts", "polars", "lazy", "pandas", "arrow", "columns"],
)
def test_rows_of_every_kind_are_ranked_as_the_command_ranks_their_file(kind, file: Path) -> None:
    told = command(
        "rank", file, "--anchor", "a=1200", "--cluster", "sample", "--weights", "w", "--bootstrap", 50, "--seed", 3
    )
    given_ = gs.rank(kind(VOTES), anchor="a=1200", cluster="sample", weights="w", bootstrap=50, seed=3)
    assert json.loads(json.dumps(given_.to_dict())) == told
    assert (
        gs.rank(str(file), anchor=("a", 1200.0), cluster="sample", weights="w", bootstrap=50, seed=3).data
        == given_.data
    )


names = ["a", "b", "c", "d"]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(names), st.sampled_from(names), st.sampled_from(["left", "right", "tie", "both_bad"])
        ),
        min_size=1,
        max_size=40,
    ),
    st.permutations(names),
)
def test_relabelling_the_models_permutes_their_ratings(votes: list, others: list) -> None:
    rows = [{"left": left, "right": right, "winner": winner} for left, right, winner in votes if left != right]
    assume(rows)
    renamed = dict(zip(names, others, strict=True))
    before = gs.rank(rows)
    after = gs.rank([row | {"left": renamed[row["left"]], "right": renamed[row["right"]]} for row in rows])
    assert {renamed[row.model]: row.side for row in before.unranked} == {row.model: row.side for row in after.unranked}
    for row in before.ratings:
        other = after[renamed[row.model]]
        assert other.rating == pytest.approx(row.rating, abs=1e-6)
        assert other.low == (None if row.low is None else pytest.approx(row.low, abs=1e-3))
        assert (other.rank_low, other.rank_high, other.games) == (row.rank_low, row.rank_high, row.games)


def test_a_ranking_can_be_had_as_polars_pandas_and_arrow_and_the_unranked_have_no_number() -> None:
    ranking = gs.rank([*VOTES, {"left": "a", "right": "never", "winner": "left"}])
    assert ranking.to_polars().filter(pl.col("rating").is_null())["model"].to_list() == ["never"]
    assert list(ranking.to_pandas().columns) == ranking.to_arrow().column_names == ranking.to_polars().columns
    assert pl.DataFrame(ranking.table()).equals(ranking.to_polars())
    assert pa.table(ranking.table()).num_rows == 4


def test_strangers_names_are_escaped_in_a_page_and_cannot_steer_a_terminal() -> None:
    evil = "<script>alert(1)</script>\x1b[2J\u202e"
    ranking = gs.rank(
        [
            row
            | {
                "left": evil if row["left"] == "a" else row["left"],
                "right": evil if row["right"] == "a" else row["right"],
            }
            for row in VOTES
        ]
    )
    assert "<script>" not in ranking._repr_html_()
    assert "&lt;script&gt;" in ranking._repr_html_()
    assert not {"\x1b", "\u202e"} & set(repr(ranking) + ranking._repr_html_() + repr(ranking.table()))


@pytest.mark.parametrize("rows", [3, "no/such/file.csv", [1, 2], [{"left": "a", "right": "b"}], [], pl.DataFrame()])
def test_what_is_no_comparisons_is_a_user_error(rows: object) -> None:
    with pytest.raises(gs.UserError):
        gs.rank(rows)


def test_agreement_is_what_the_command_says(tmp_path: Path) -> None:
    judged = [
        {"sample": str(n), "left": "a", "right": "b", "winner": ("left", "right", None)[n % 3], "judge": "j"}
        for n in range(30)
    ]
    voted = [
        {"sample": str(n), "left": "a", "right": "b", "winner": ("left", "tie")[n % 2], "rater": f"p{k}"}
        for n in range(30)
        for k in range(2)
    ]
    for name, rows in (("j", judged), ("v", voted)):
        (tmp_path / name).with_suffix(".jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = command("agree", tmp_path / "j.jsonl", tmp_path / "v.jsonl")
    assert gs.agree(judged, pd.DataFrame(voted)).to_dict() == told
    assert gs.agree(pl.DataFrame(judged), tmp_path / "v.jsonl").to_polars()["unread"].to_list() == [10]


def test_scores_of_files_are_what_the_commands_say(tmp_path: Path) -> None:
    reviews = tmp_path / "review.jsonl"
    reviews.write_text(
        "".join(json.dumps({"question_id": n, "category": "conv", "tuple": [8, 6 + n % 3]}) + "\n" for n in range(9))
    )
    assert gs.score_llava(reviews).to_dict() == command("score", "llava", reviews)
    assert gs.score_llava(reviews).to_polars()["category"].to_list() == ["all", "conv"]
    case = {"sample_index": 0, "id": "a", "subset": "general", "task": "add", "lang": "en", "scores": {"quality": 4}}
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps(case) + "\n")
    assert gs.score_cpi(cases).to_dict() == command("score", "cpi", cases)
    rows = [
        {"sample": s, "model": m, "judge": j, "grade": g} for s in "xy" for j in "kl" for m, g in (("a", 8), ("b", 5))
    ]
    grades = tmp_path / "grades.jsonl"
    grades.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert gs.score_echo(rows).to_dict() == gs.score_echo(grades).to_dict() == command("score", "echo", grades)


def test_a_picture_is_the_same_as_a_path_bytes_an_image_and_an_array(tmp_path: Path) -> None:
    pixels = np.full((40, 60, 3), 100, dtype=np.uint8)
    other = pixels.copy()
    other[..., 0] = 160
    buffer = io.BytesIO()
    Image.fromarray(other).save(tmp_path / "other.png")
    Image.fromarray(other).save(buffer, "PNG")
    found = [
        gs.measure_pair("color", pixels, one)
        for one in (other, Image.fromarray(other), buffer.getvalue(), tmp_path / "other.png")
    ]
    assert {one.value for one in found} == {60.0}
    assert isinstance(found[0], gs.Measurement)
    assert "histograms" not in found[0].detail
    assert (
        found[0].value
        == command("metric", "color", "--input", tmp_path / "other.png", "--output", tmp_path / "other.png")["value"]
        + 60
    )


def test_a_turned_photograph_stays_turned_and_a_pair_that_cannot_be_measured_says_why() -> None:
    upright = Image.fromarray(np.arange(60 * 40 * 3, dtype=np.uint8).reshape(60, 40, 3))
    turned = upright.rotate(90, expand=True)
    turned.getexif()[0x0112] = 6
    assert gs.measure_pair("resolution", upright, turned).value == 1.0
    assert gs.measure_pair("aspect", upright, turned).value == 0.0
    silent = gs.measure_pair("color", None, upright)
    assert isinstance(silent, gs.NotApplicable)
    assert silent.why == "there is no input picture"
    with pytest.raises(gs.UserError, match="there is no metric named colour; did you mean color"):
        gs.measure_pair("colour", upright, upright)


def test_a_reply_is_read_by_the_strict_reader() -> None:
    read = gs.read_reply("Quality: 7/10", [gs.Dimension(name="quality", low=1, high=10)])
    assert (read.scores, read.why) == ({"quality": 7.0}, None)
    assert gs.read_reply("maybe", {"quality": (1, 10)}).missing == ("quality",)
    with pytest.raises(gs.UserError, match="low must be below high"):
        gs.read_reply("7", {"quality": (10, 1)})


# --- workspaces ---------------------------------------------------------------------------------------------------


def test_a_workspace_says_what_its_commands_say(desk: Path) -> None:
    with gs.open_workspace(desk / "bench") as space:
        told = command("boards", "--dir", desk / "bench")["boards"]
        shown = space.boards().to_polars()
        assert shown["model"].to_list() == [row["model"] for board in told for row in board["ratings"]]
        assert space.status()["stages"] == command("status", "--dir", desk / "bench")["stages"]
        assert space.explain("arena-t2i", "flux") == command("explain", "arena-t2i", "flux", "--dir", desk / "bench")
        assert "flux on arena-t2i" in repr(space.explain("arena-t2i", "flux"))
        ranked = gs.rank(space.votes(), cluster="sample")
        assert ranked["flux"].games == 12


def test_facts_of_a_workspace_are_tables_and_text_of_strangers_is_escaped(desk: Path) -> None:
    with gs.open_workspace(desk / "bench") as space:
        tables = [
            getattr(space, name)()
            for name in ("samples", "outputs", "judgments", "votes", "measurements", "timings", "posts", "threads")
        ]
        assert [len(table) for table in tables] == [3, 0, 0, 12, 0, 0, 0, 0]
        page = tables[0]._repr_html_() + repr(tables[0])
        assert "\x1b" not in page
        assert "hat &lt;b&gt;" in page
        assert tables[3].to_pandas()["winner"].tolist() == tables[3].to_arrow()["winner"].to_pylist()


def test_nothing_can_be_written_through_a_workspace_and_a_closed_one_says_so(desk: Path) -> None:
    before = (desk / "bench" / "groundswell.sqlite").read_bytes()
    space = gs.open_workspace(desk / "bench")
    with pytest.raises(StoreError, match="could not be written"):
        space._space.store.put([sample_of(space)], renew=True)
    space.close()
    space.close()
    assert "closed" in repr(space)
    with pytest.raises(gs.UserError, match="this workspace is closed"):
        space.votes()
    assert (desk / "bench" / "groundswell.sqlite").read_bytes() == before


def sample_of(space: gs.OpenWorkspace) -> object:
    from groundswell.records import Sample

    return next(iter(space._space.store.records(Sample)))


def test_a_workspace_in_which_nothing_was_stored_yet_is_not_made_by_looking(tmp_path: Path) -> None:
    command("init", tmp_path / "new")
    with pytest.raises(gs.UserError, match="nothing is stored here yet"):
        gs.open_workspace(tmp_path / "new")
    assert not (tmp_path / "new" / "groundswell.sqlite").exists()
    with pytest.raises(gs.UserError, match="no workspace here"):
        gs.open_workspace(tmp_path / "none")


@pytest.mark.parametrize("pixels", [np.ones((8, 8, 3)), np.zeros((8, 8), np.uint8), np.zeros((0, 8, 3), np.uint8), 5])
def test_an_array_that_is_no_picture_is_refused_and_not_cut_to_bytes(pixels: object) -> None:
    with pytest.raises(UserError, match="height, width, 3"):
        gs.measure_pair("color", pixels, np.zeros((8, 8, 3), np.uint8))


def test_lists_in_place_of_names_and_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(UserError, match="the column winner holds lists"):
        gs.rank([{"left": "a", "right": "b", "winner": ["left"]}])
    with pytest.raises(UserError, match="the column model_a holds lists"):
        gs.rank([{"model_a": ["a"], "model_b": "b", "winner": "model_a"}])
    twice = pd.DataFrame([["a", "b", "left", "tie"]], columns=["left", "right", "winner", "winner"])
    with pytest.raises(UserError, match="two columns of one name"):
        gs.rank(twice)


def test_ties_are_counted_in_a_way_that_is_known_or_not_at_all():
    rows = [{"left": "a", "right": "b", "winner": "tie"}]
    with pytest.raises(UserError, match="half or davidson, not as elo"):
        gs.rank(rows, ties="elo")
