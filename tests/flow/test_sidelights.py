"""What the site shows beside the boards, gathered from a workspace."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from groundswell.files import write_bytes, write_text
from groundswell.flow.corpus import report_path
from groundswell.flow.panelling import CARD
from groundswell.flow.sidelights import sidelights
from groundswell.flow.workspace import Workspace, workspace
from groundswell.records import Decision, Edition, Post, Ruling, Sample

WORKSPACE = """
[reader]
use = "judge-a"

[[judge]]
name = "judge-a"
host = "openai"
base_url = "http://127.0.0.1:9"
model = "judge-2026-01-01"
family = "alder"
price_per_call = 0.01

[[collect]]
model = "Alder Pro"
released = 2026-11-02
"""
TIME = datetime(2026, 11, 3, tzinfo=UTC)


@pytest.fixture
def space(tmp_path: Path):
    write_text(tmp_path / "groundswell.toml", WORKSPACE)
    with workspace(tmp_path) as opened:
        yield opened


def _decided(space: Workspace, post: str, question: str, answer: object) -> None:
    person = Decision(subject=post, question=question, reader="person:me", answer=answer)
    space.store.put([person])


def test_a_workspace_without_posts_has_no_community(space):
    found = sidelights(space, ())
    assert found.community is None
    assert (found.changes, found.withdrawn, found.scores, found.set_aside) == ((), (), (), ())
    assert found.judges["judge-a"].family == "alder"


def test_complaints_and_yields_are_the_decisions_that_stand(space):
    post = Post(platform="x", id="1", text="all yellow", time=TIME)
    space.store.put([post])
    comment = {
        "post": post.key,
        "text": "all yellow",
        "verdict": "failure",
        "complaint": "colour",
        "keywords": ["yellow"],
    }
    praise = {"post": post.key, "text": "nice", "verdict": "success", "complaint": None, "keywords": []}
    _decided(space, post.key, "relevance", {"score": 5})
    _decided(space, "0" * 32, "relevance", {"score": 2})
    _decided(space, post.key, "feedback", {"comments": [comment, praise]})
    _decided(space, post.key, "quality", {"label": "Trash"})
    found = sidelights(space, ()).community
    assert (found.judged, found.relevant, found.qualities) == (2, 1, {"Trash": 1})
    assert [(each.kind, each.keywords) for each in found.complaints] == [("colour", ("yellow",))]
    assert found.releases == {"2026-11-02": ("Alder Pro",)}
    assert found.metrics["identity"] == "face"


def test_the_map_is_what_the_last_look_at_the_corpus_kept(space):
    sample = Sample(suite="community", task="t2i", prompts={"en": "A fox"})
    space.store.put([Post(platform="x", id="1"), sample])
    rows = [
        {"prompt": "A fox", "x": 1.0, "y": 2.0, "nearest": 0.4, "novel": True},
        {"prompt": "Nobody’s any more", "x": 0.0, "y": 0.0, "nearest": 0.4, "novel": True},
    ]
    older = {"older": [[0.0, 0.0], [1.0, 1.0]], "older_sets": ["drawbench", "parti"], "explained": 0.2}
    write_bytes(report_path(space), msgspec.json.encode({"novelty": {"prompts": rows, **older}}))
    found = sidelights(space, ()).community.novelty
    assert [(spot.sample, spot.x, spot.novel) for spot in found.spots] == [(sample.key, 1.0, True)]
    assert [(each.name, each.points) for each in found.older] == [
        ("drawbench", ((0.0, 0.0),)),
        ("parti", ((1.0, 1.0),)),
    ]


def test_the_newest_report_card_of_a_judge_is_shown_with_what_noise_may_reach(space):
    finding = {"plant": "swap", "mark": "failed", "cases": 40, "against": 30, "unread": 0, "rate": 0.75, "low": 0.6,
               "high": 0.9, "p": 0.0, "moved": None}  # fmt: skip
    for material, mark in (("1", "undecided"), ("2", "failed")):
        card = {"judge": "judge-a", "mark": mark, "findings": [finding], "not_tried": ["order"], "failures": ["swap"],
                "suite": "echo", "edition": "2026-11", "outputs": 40}  # fmt: skip
        answer = {"mark": mark, "failures": ["swap"], "time": TIME.isoformat()}
        space.store.put([Decision(subject="judge-a", question=CARD, reader="planted cases", material=material,
                                  answer=answer, evidence={"card": card})])  # fmt: skip
    found = sidelights(space, ()).judges["judge-a"].card
    assert (found.mark, found.findings[0].may, found.not_tried, found.outputs) == ("failed", 0.2, ("order",), 40)


def test_a_change_names_what_came_and_why_something_went(space):
    samples = [Sample(suite="custom", task="t2i", prompts={"en": f"Prompt {n}"}) for n in range(4)]
    keys = [sample.key for sample in samples]
    before = Edition(suite="custom", label="2026-10", samples=tuple(keys[:3]))
    after = Edition(suite="custom", label="2026-11", samples=(keys[0], keys[3]))
    retired = Ruling(subject=keys[1], what="retire", by="operator", why="tells nothing apart", time=TIME)
    space.store.put([*samples, before, after, retired])
    space.store.forget([keys[2]], "forgotten by request: https://x.com/somebody/status/1")
    found = sidelights(space, {"custom"})
    change = found.changes[0]
    assert (change.before, change.after, change.stayed) == ("2026-10", "2026-11", 1)
    assert [(each.key, each.title) for each in change.came] == [(keys[3], "Prompt 3")]
    assert {each.key: (each.title, each.why) for each in change.went} == {
        keys[1]: ("Prompt 1", "retired: tells nothing apart"),
        keys[2]: (None, "withdrawn"),
    }
    assert "somebody" not in str(msgspec.to_builtins(found))
    assert [each.key for each in found.withdrawn] == [keys[2]]


def test_published_tables_are_those_of_the_suites_at_hand(space):
    space.store.put([Edition(suite="llava", label="2026-11", samples=())])
    found = sidelights(space, {"llava"})
    assert {table.suite for table in found.published} == {"llava"}
    assert found.published[0].rows["Bard-0718"] == (83.7, 69.7, 78.7, 77.8)
