"""The local reader on posts with a truth; what it misses is in docs/curation.md, what it holds must not be lost."""

import importlib
import json
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def measured(shared):
    sys.path.insert(0, str(Path(__file__).parents[2]))
    bench = importlib.import_module("bench.curation")
    truth = json.loads((shared / "community" / "x_v2_truth.json").read_text())
    found = bench.Found(shared / "community" / "x_v2_posts.jsonl")
    found.above = {thread["main"]: thread["ancestors"] for thread in truth["threads"]}
    return found, {name: (hits, of, remark) for name, hits, of, remark in bench.rows(found, truth)}


def test_relevance_keeps_what_is_relevant_and_drops_what_is_not(measured):
    for side in ("sensitivity", "specificity"):
        hits, of, _ = measured[1][f"relevance: {side}"]
        assert hits / of >= 0.85


def test_every_thread_has_its_members(measured):
    assert measured[1]["thread membership"][:2] == (70, 70)


def test_no_blank_is_filled_wrongly(measured):
    assert measured[1]["blanks filled right"][2].startswith("0 filled wrongly")


def test_the_second_run_has_nothing_to_do(measured):
    assert measured[0].again["nothing_to_do"]
