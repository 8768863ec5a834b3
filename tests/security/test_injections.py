"""Text of strangers stays text: in SQL, in templates, on pages, in tables, in paths and in plugins' names."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import pytest

from groundswell import plugins
from groundswell.errors import GroundswellError, UserError
from groundswell.files import write_rows, write_text
from groundswell.flow.moving import replay
from groundswell.flow.running import RunOptions, run
from groundswell.flow.standing import publish, standings
from groundswell.flow.workspace import workspace
from groundswell.records import Sample

HOSTILE = {
    "sql": "'; DROP TABLE record; --",
    "html": "<script>window.hit=1</script>",
    "attribute": '"><img src=x onerror="window.hit=2">',
    "jinja": "{{ 7 * 191 }}{% for x in ().__class__.__bases__ %}",
    "format": "{0.__class__.__mro__} %(x)s %s {score}",
    "formula": '=HYPERLINK("http://x.invalid","y")',
    "terminal": "\x1b]0;title\x07\x1b[31m",
    "nul": "a\x00b",
}

WORKSPACE = """
[[suite]]
name = "custom"
source = "rows.jsonl"

[panel]
quorum = 1
baselines = ["blank", "noise"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace whose prompts, labels and tags are hostile."""
    check = {"kind": "size", "width": 96, "height": 64}
    rows = [
        {
            "id": text,
            "suite": "custom",
            "task": "t2i",
            "prompts": {"en": text},
            "tags": {"use_case": text, "style": [text]},
            "checks": [check],
        }
        for text in HOSTILE.values()
    ]
    write_rows(tmp_path / "rows.jsonl", rows)
    write_text(tmp_path / "groundswell.toml", WORKSPACE)
    with workspace(tmp_path) as space:
        run(space, RunOptions())
    return tmp_path


def test_hostile_prompts_are_stored_word_for_word_and_published_as_text(folder: Path) -> None:
    with workspace(folder) as space:
        assert {sample.prompts["en"] for sample in space.store.records(Sample)} == set(HOSTILE.values())
        site = publish(space, standings(space))
        with pytest.raises(UserError):
            replay(space, HOSTILE["sql"])
        assert sum(1 for _ in space.store.records(Sample)) == len(HOSTILE)
    pages = {path: path.read_text() for path in site.rglob("*.html")}
    assert pages
    for path, text in pages.items():
        assert "<script>window.hit" not in text, path
        assert 'onerror="window.hit' not in text, path
        assert str(7 * 191) not in text, path
        assert "\x1b" not in text, path
    assert any("{{ 7 * 191 }}" in text for text in pages.values())
    for path in site.rglob("*.csv"):
        cells = [cell for row in csv.reader(StringIO(path.read_text())) for cell in row]
        assert not [cell for cell in cells if cell[:1] in ("=", "+", "@")], path
    for path in site.rglob("*.json"):
        json.loads(path.read_text())


@pytest.mark.parametrize("name", ["../../../../etc/passwd", "/etc/passwd", "..\\..\\secret.png", "a\x00.png"])
def test_a_file_name_that_leads_elsewhere_gives_no_sample(name: str, tmp_path: Path) -> None:
    row = {"id": 1, "suite": "custom", "task": "edit", "prompts": {"en": "Make it red"}, "inputs": [name]}
    write_rows(tmp_path / "rows.jsonl", [row])
    write_text(tmp_path / "groundswell.toml", WORKSPACE)
    with workspace(tmp_path) as space:
        with pytest.raises(GroundswellError) as failed:
            run(space, RunOptions())
        assert list(space.store.records(Sample)) == []
    assert "root:" not in str(failed.value)


@pytest.mark.parametrize("name", ["os:system", "../../evil", "", "color; import os", "__import__"])
def test_a_plugin_is_loaded_by_its_registered_name_alone(name: str) -> None:
    with pytest.raises(GroundswellError):
        plugins.load("metric", name)
