"""Published prompt sets, as their authors ship them, become suites."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundswell.pictures import describe
from groundswell.suites import registry


@pytest.mark.parametrize(
    ("name", "kind", "count"),
    [
        ("geneval_evaluation_metadata.jsonl", "geneval", 553),
        ("imgedit_basic_edit.json", "imgedit", 737),
        ("PartiPrompts.tsv", "parti", 1632),
        ("drawbench_imagen.csv", "drawbench", 200),
        ("dpg_prompts_300.jsonl", "table", 300),
    ],
)
def test_a_published_set_is_known_by_its_columns_and_read_whole(shared: Path, name: str, kind: str, count: int) -> None:
    path = shared / "prompts" / name
    assert registry.detect(path) == kind
    samples = list(registry.load(kind, path, describe))
    assert len(samples) == len({sample.label for sample in samples}) == count


def test_the_counts_of_geneval_are_checks_and_its_colours_are_named_as_unmeasured(shared: Path) -> None:
    path = shared / "prompts" / "geneval_evaluation_metadata.jsonl"
    samples = list(registry.load("geneval", path, describe))
    assert sum(bool(sample.checks) for sample in samples) == 80
    assert registry.not_carried("geneval", path)["where a thing is: no check measures it (tags.include)"] == 100
