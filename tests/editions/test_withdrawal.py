"""A sample that is withdrawn after it was released: gone from the next release, and listed there."""

import json
from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from msgspec import structs

from groundswell.cli import main
from groundswell.flow.arena import drawable
from groundswell.flow.workspace import workspace
from groundswell.pictures import encode_png
from groundswell.records import Endpoint, Licence, Post, Sample, Vote, Winner

FREE = Licence(id="CC0-1.0", source="their own", redistribute=True, derivatives=True)
URL = "https://social.example/grace/1"


def _json(*arguments):
    return json.loads(CliRunner().invoke(main, [*map(str, arguments), "--json"]).stdout)


@pytest.fixture
def folder(tmp_path):
    """A workspace whose second sample was made of Grace's post, with her picture."""
    (tmp_path / "groundswell.toml").write_text("[arena]\n")
    with workspace(tmp_path) as space:
        post = Post(platform="social", id="1", url=URL, text="Make my kite red", time=datetime(2026, 11, 1, tzinfo=UTC))
        picture = structs.replace(space.keep(encode_png(np.full((300, 300, 3), 7, dtype=np.uint8))), licence=FREE)
        tags = {"use_case": "consumer", "capability": "material"}
        own = Sample(suite="arena", task="t2i", prompts={"en": "A kite over a field."}, tags=tags)
        hers = Sample(
            suite="arena", task="edit", prompts={"en": "Make my kite red"}, inputs=(picture,), tags=tags,
            origins=(post.key,),
        )  # fmt: skip
        votes = [
            Vote(
                sample=sample.key, left="ada", right="bob", winner=winner, by=f"s{place}", ballot=f"{sample.key}{place}"
            )
            for sample in (own, hers)
            for place, winner in enumerate((Winner.LEFT, Winner.RIGHT, Winner.LEFT))
        ]
        endpoints = [Endpoint(name=name, host="file", model=name, cohort="legacy") for name in ("ada", "bob")]
        space.store.put([post, own, hers, *endpoints, *votes])
    return tmp_path


def test_what_is_withdrawn_after_a_release_is_gone_from_the_next_and_listed(folder):
    first = _json("freeze", "arena", "2026-11", "--dir", folder)
    out = folder / "out"
    released = _json("release", "arena", "--out", out, "--dir", folder)
    assert (first["samples"], released["samples"], released["withdrawn_count"]) == (2, 2, 0)
    (picture,) = (out / "pictures").iterdir()
    hers = pl.read_parquet(out / "samples.parquet").filter(pl.col("task") == "edit")["key"].item()

    assert _json("forget", URL, "--dir", folder)["samples"] == 1
    again = _json("release", "arena", "--out", out, "--dir", folder)
    assert (again["samples"], again["withdrawn"]) == (1, {hers: ["2026-11"]}), "the same edition, released again"
    assert not picture.exists()

    second = _json("freeze", "arena", "2026-12", "--dir", folder)
    assert (second["samples"], second["went"]) == (1, 1)
    released = _json("release", "arena", "--out", folder / "next", "--dir", folder)
    assert (released["label"], released["samples"], released["withdrawn_count"]) == ("2026-12", 1, 1)
    assert released["withdrawn"] == {hers: ["2026-11"]}
    card = (folder / "next" / "README.md").read_text()
    assert "Withdrawn: 1" in card
    assert f"`{hers}`, of 2026-11" in card
    everything = b"".join(path.read_bytes() for path in (folder / "next").rglob("*") if path.is_file())
    assert URL.encode() not in everything, "a release does not point to what was withdrawn"
    assert b"Make my kite red" not in everything


def test_votes_on_a_withdrawn_sample_still_count_and_the_board_says_so(folder):
    _json("freeze", "arena", "2026-11", "--dir", folder)
    before = _json("boards", "--dir", folder)["boards"]
    _json("forget", URL, "--dir", folder)
    _json("freeze", "arena", "2026-12", "--dir", folder)
    after = _json("boards", "--dir", folder)["boards"]
    (told,) = (board["method"]["withdrawn"] for board in after if board["name"] == "arena-edit")
    assert told == {"samples": 1, "comparisons": 3}
    assert [board["ratings"] for board in before] == [board["ratings"] for board in after]
    moved = _json("compare", "arena", "2026-11", "2026-12", "--dir", folder)
    assert (len(moved["went"]), moved["stayed"], moved["only_before"]) == (1, 1, ["arena-edit"])
    with workspace(folder) as space:
        assert [sample.prompts["en"] for sample in drawable(space).values()] == ["A kite over a field."]
