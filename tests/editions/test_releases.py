from hashlib import sha256

import polars as pl
import pytest
from msgspec import structs

from groundswell.editions.importing import edition_of
from groundswell.editions.releases import Material, write
from groundswell.errors import UserError
from groundswell.files import read_document
from groundswell.records import Licence, Picture, Sample

BYTES = {"free": b"free picture", "held": b"held picture"}


def _picture(digest, redistribute):
    licence = Licence(id="CC0-1.0" if redistribute else "unknown", source="somewhere", redistribute=redistribute)
    return Picture(digest=digest, media_type="image/png", width=8, height=8, licence=licence)


@pytest.fixture
def material():
    samples = [
        Sample(suite="s", task="edit", prompts={"en": "One"}, inputs=(_picture("free", True),), origins=("post",)),
        Sample(suite="s", task="edit", prompts={"en": "Two"}, inputs=(_picture("held", False),)),
    ]
    gone = Sample(suite="s", task="t2i", prompts={"en": "Gone"})
    edition = edition_of([*samples, gone], "s", "2026-12")
    return Material(
        edition=edition,
        samples=samples,
        pointers={"post": "https://example.org/1"},
        withdrawn={gone.key: ["2026-11", "2026-12"]},
    )


def test_what_may_not_be_passed_on_is_there_by_digest_only(material, tmp_path):
    data = write(material, tmp_path / "out", BYTES.__getitem__)
    assert [path.name for path in (tmp_path / "out" / "pictures").iterdir()] == ["free.png"]
    table = pl.read_parquet(tmp_path / "out" / "samples.parquet")
    assert table["input_files"].to_list() == [["pictures/free.png"], []]
    assert "held" in table["inputs"][1]
    assert table["origins"].to_list() == [["https://example.org/1"], []]
    assert (data["samples"], data["held_back"]) == (2, 1)


def test_what_was_withdrawn_is_listed_and_not_there(material, tmp_path):
    write(material, tmp_path / "out", BYTES.__getitem__)
    (key,) = material.withdrawn
    facts = read_document(tmp_path / "out" / "edition.json")
    assert (facts["withdrawn"], facts["withdrawn_count"]) == ({key: ["2026-11", "2026-12"]}, 1)
    assert key not in pl.read_parquet(tmp_path / "out" / "samples.parquet")["key"].to_list()
    card = (tmp_path / "out" / "README.md").read_text()
    assert "Withdrawn: 1" in card
    assert f"`{key}`, of 2026-11, 2026-12" in card


def test_a_picture_that_is_no_part_of_a_release_any_more_is_removed_from_its_folder(material, tmp_path):
    out = tmp_path / "out"
    write(material, out, BYTES.__getitem__)
    write(structs.replace(material, samples=material.samples[1:]), out, BYTES.__getitem__)
    assert list((out / "pictures").iterdir()) == []
    assert "free.png" not in (out / "checksums.txt").read_text()


def test_checksums_are_of_every_file(material, tmp_path):
    out = tmp_path / "out"
    data = write(material, out, BYTES.__getitem__)
    lines = [line.split("  ") for line in (out / "checksums.txt").read_text().splitlines()]
    assert all(sha256((out / name).read_bytes()).hexdigest() == digest for digest, name in lines)
    assert len(lines) + 1 == data["files"] == sum(path.is_file() for path in out.rglob("*"))


def test_a_release_does_not_write_into_a_folder_of_something_else(material, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(UserError, match="something else"):
        write(material, tmp_path, BYTES.__getitem__)


def test_a_release_can_be_loaded_as_a_data_set(material, tmp_path):
    datasets = pytest.importorskip("datasets", reason="needs the extra `exchange`")
    write(material, tmp_path / "out", BYTES.__getitem__)
    loaded = datasets.load_dataset(str(tmp_path / "out"), split="test", cache_dir=str(tmp_path / "cache"))
    assert loaded.num_rows == 2
    assert loaded[0]["key"] == material.samples[0].key
