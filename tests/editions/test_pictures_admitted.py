"""Reference pictures are admitted with the first prompt that a person admits, and for all prompts after it."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from msgspec import structs

from groundswell.cli import main
from groundswell.flow.workspace import workspace
from groundswell.pictures import encode_png
from groundswell.records import Licence, Ruling, Sample

TAGS = {"use_case": "consumer", "capability": "material"}


def _json(*arguments):
    return json.loads(CliRunner().invoke(main, [*map(str, arguments), "--json"]).stdout)


@pytest.fixture
def folder(tmp_path):
    """Two curated edits of one picture whose source nobody has stated."""
    (tmp_path / "groundswell.toml").write_text("[arena]\n")
    with workspace(tmp_path) as space:
        terms = Licence(id="CC0-1.0", redistribute=True, derivatives=True)
        picture = structs.replace(space.keep(encode_png(np.full((300, 300, 3), 7, dtype=np.uint8))), licence=terms)
        space.store.put(
            Sample(
                suite="community", task="edit", prompts={"en": text}, inputs=(picture,), tags=TAGS, origins=("p",),
                quality="Benchmark",
            )
            for text in ("Make the whole wall out of marble.", "Let ivy grow over the left half, in autumn colours.")
        )  # fmt: skip
    return tmp_path


def test_a_picture_is_reviewed_once_and_a_rejected_one_takes_its_prompts_along(folder):
    first, second = _json("admit", "--dir", folder)["candidates"]
    assert [row["verdict"] for row in (first, second)] == ["queue", "queue"]
    assert first["reasons"][0]["rule"] == "reference source"
    _json("admit", "--accept", first["sample"], "--why", "I took it", "--dir", folder)
    with workspace(folder) as space:
        ruled = {each.subject: each for each in space.store.records(Ruling)}
        (digest,) = {picture.digest for sample in space.store.records(Sample) for picture in sample.inputs}
        assert (ruled[digest].what, ruled[digest].by) == ("admit", "operator")
        assert ruled[digest].evidence == {"width": 300, "height": 300, "licence": "CC0-1.0"}
    rows = [{"id": 1, "suite": "x", "task": "t2i", "prompts": {"en": "A kite."}, "tags": TAGS}]
    (folder / "new.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert _json("admit", folder / "new.jsonl", "--dir", folder)["counts"] == {"admit": 1}
    rejected = _json("admit", "--reject", digest, "--why", "it is not theirs", "--dir", folder)
    assert rejected["rulings"][0]["what"] == "reject"
    assert "there is no record nowhere" in _json("admit", "--reject", "nowhere", "--dir", folder)["error"]
