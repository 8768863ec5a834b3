"""What is read in many places and joined in parts is the same as what is read in one."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from groundswell.corpus import duplicates_on_disk
from groundswell.errors import UserError
from groundswell.flow.community import ingest
from groundswell.flow.copies import duplicates
from groundswell.flow.workspace import initialise, workspace
from groundswell.ingest import spread
from groundswell.records import Post
from groundswell.work.ray_data import exchanged

pytestmark = pytest.mark.filterwarnings("ignore")


def exchanged_here(sources, read, joins):
    """The same exchange in this process, to test what is exchanged without a cluster."""
    rows = [batch for source in sources for batch in read(source)]
    for join in joins:
        if not rows:
            return
        whole = {name: np.concatenate([batch[name] for batch in rows]) for name in rows[0]}
        parts = (whole["part"] == part for part in np.unique(whole["part"]))
        rows = [join({name: column[chosen] for name, column in whole.items()}) for chosen in parts]
    yield from rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Exports of every format, some of them twice, one torn, one that holds no posts, and a picture beside one."""
    place = tmp_path / "exports"
    place.mkdir()
    exports = json.loads((Path(__file__).parents[1] / "ingest/exports.json").read_text())
    for name, value in exports.items():
        (place / f"{name}.json").write_text(json.dumps(value))
        (place / f"{name}.again.json.gz").write_bytes(gzip.compress(json.dumps(value).encode()))
    lines = [json.dumps({"id": str(n), "text": f"a fox {n % 7}", "author_id": str(n % 5)}) for n in range(300)]
    (place / "lines.jsonl").write_text("\n".join([*lines, '{"id": "3']))
    (place / "table.csv").write_text("a,b\n1,2\n")
    return place


def kept(place: Path, files: Path, pool: str):
    """The report of an ingest into a workspace of its own, and its posts by key."""
    if not place.exists():
        initialise(place)
        (place / ".author-salt").write_bytes(b"the same salt for both workspaces")
    with workspace(place) as space:
        report = ingest(space, [files], format="auto", pool=pool)
        return report, {post.key: post for post in space.store.records(Post)}


@pytest.mark.usefixtures("cluster")
def test_ray_reads_the_same_posts_with_the_same_counts_and_keys(folder: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(spread, "PART_BYTES", 200_000)
    one, two = (kept(tmp_path / pool, folder, pool) for pool in ("local", "ray"))
    assert one == two
    assert one[0]["new"] > 300


@pytest.mark.parametrize("parts", [1, 3, 16])
def test_parts_add_up_to_one_reading_however_many_they_are(folder: Path, parts: int) -> None:
    from groundswell.ingest import read_files
    from groundswell.ingest.reading import files_of

    files = files_of([folder])
    reading, gathering = spread.Reading(salt=b"s", parts=parts), spread.Gathering()
    posts = []
    for rows in exchanged_here(enumerate(files), reading.rows, [spread.joined]):
        found = gathering.take(rows)
        posts += [*found.posts, *found.tombstones]
    whole = read_files([folder], salt=b"s")
    assert gathering.report(files) == whole.report()
    assert {post.key: post for post in posts} == {post.key: post for post in [*whole.posts, *whole.tombstones]}


def prompts(count: int) -> list[str]:
    """Made-up prompts; a third of them are others with up to three words changed, a few are the same or odd."""
    dice = random.Random(1)
    words = ["".join(dice.choices("abcdefghijklmnop猫狐", k=dice.randint(2, 9))) for _ in range(500)]
    made = ["", "猫", "a\nfox\r\n in  the snow", "A fox in the snow", "\U0001f98a"]
    while len(made) < count:
        text = dice.choices(words, k=dice.randint(6, 20))
        if dice.random() < 0.3:
            text = dice.choice(made[-200:]).split(" ")
            for _ in range(dice.randint(0, 3)):
                text[dice.randrange(len(text))] = dice.choice(words)
        made.append(" ".join(text))
    # A template is more popular than as many as are compared with each other.
    return made + [f"the same long template about one animal, in the snow, at dawn: {word}" for word in words[:150]]


@pytest.fixture
def shards(tmp_path: Path) -> list[Path]:
    """A corpus in two files of lines and a Parquet file, read in small blocks."""
    texts = prompts(2_000)
    paths = [tmp_path / name for name in ("one.jsonl", "two.jsonl", "three.parquet")]
    for path, part in zip(paths[:2], (texts[:900], texts[900:1500]), strict=True):
        path.write_text("".join(json.dumps({"prompt": text}, ensure_ascii=False) + "\n\n" for text in part))
    pl.DataFrame({"prompt": [None, *texts[1500:]]}).write_parquet(paths[2])
    return paths


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(duplicates_on_disk, "BLOCK_BYTES", 50_000)
    monkeypatch.setattr(duplicates_on_disk, "BLOCK_ROWS", 400)
    monkeypatch.setattr(duplicates_on_disk, "SHARD_BYTES", 60_000)


def found(out: Path, shards: list[Path], pool: str) -> tuple[dict, list[str]]:
    report = duplicates(shards, column="prompt", threshold=0.8, pool=pool, out=out)
    return report | {"out": None}, sorted(out.read_text().splitlines())


def test_on_disk_the_same_near_duplicates_are_found_as_in_memory(shards, tmp_path: Path, monkeypatch) -> None:
    in_memory = found(tmp_path / "memory.jsonl", shards, "local")
    monkeypatch.setattr("groundswell.work.ray_data.exchanged", exchanged_here)
    assert found(tmp_path / "disk.jsonl", shards, "ray") == in_memory
    assert in_memory[0]["near_duplicates"] > 400


@pytest.mark.usefixtures("cluster")
def test_a_cluster_finds_them_too(shards, tmp_path: Path) -> None:
    assert found(tmp_path / "ray.jsonl", shards, "ray") == found(tmp_path / "memory.jsonl", shards, "local")


@pytest.mark.usefixtures("cluster")
def test_an_error_of_a_worker_is_the_line_that_a_person_is_told(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"prompt": "a fox"}\n{"text": "a hen"}\n')
    with pytest.raises(UserError, match=r"rows.jsonl:2: no text in the column prompt.*--column$"):
        duplicates([path], column="prompt", threshold=0.8, pool="ray")


def test_nothing_to_read_gives_nothing() -> None:
    assert list(exchanged([], iter, [])) == []


@pytest.mark.usefixtures("cluster")
def test_sources_and_parts_without_rows_change_nothing() -> None:
    def read(source: int):
        if source:
            yield {"part": np.array([source, 7]), "value": np.array([1.0, 2.0])}

    def summed(rows):
        return {"part": rows["part"][:1] % 2, "value": np.array([rows["value"].sum()])}

    last = [float(rows["value"][0]) for rows in exchanged([0, 1, 0, 2, 0], read, [summed, summed]) if len(rows["part"])]
    assert sorted(last) == [1.0, 5.0]
