"""Pictures rot, in a folder and in a bucket: they are found by their digest, got again where their origin is known, and
else named with what depends on them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from groundswell.errors import BlobLost
from groundswell.files import write_bytes, write_rows, write_text
from groundswell.flow.doctor import examine
from groundswell.flow.mending import check
from groundswell.flow.running import RunOptions, run, totals
from groundswell.flow.workspace import Workspace, editions, workspace
from groundswell.pictures import encode_png
from groundswell.records import Attachment, Output, Post, Sample
from groundswell.testing.servers import S3

WORKSPACE = """
[workspace]
blobs = "{blobs}"

[[suite]]
name = "custom"
source = "rows.jsonl"

[[source]]
name = "x"
base_url = "{base_url}"

[panel]
quorum = 1
baselines = ["copy-input", "blank"]

[measure]
metrics = ["color"]
"""
POSTED, OF_SUITE = (encode_png(np.full((24, 32, 3), level, np.uint8)) for level in (80, 160))


@pytest.fixture(scope="module")
def s3() -> Iterator[S3]:
    pytest.importorskip("moto", reason="no S3 server here: pip install 'moto[server]'")
    with S3() as server:
        yield server


@pytest.fixture
def platform() -> Iterator[str]:
    """A server that shows the picture of a post, and nothing else."""

    class Shown(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/media/1.png" else 404)
            self.end_headers()
            self.wfile.write(POSTED if self.path == "/media/1.png" else b"")

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Shown)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(params=["folder", "bucket"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, platform: str) -> Path:
    """A workspace with the picture of a post, of a suite's source, and one that a model made."""
    blobs = "blobs" if request.param == "folder" else request.getfixturevalue("s3").bucket()
    write_bytes(tmp_path / "in.png", OF_SUITE)
    row = {"id": 1, "suite": "custom", "task": "edit", "prompts": {"en": "Add a cat"}, "inputs": ["in.png"]}
    write_rows(tmp_path / "rows.jsonl", [row])
    write_text(tmp_path / "groundswell.toml", WORKSPACE.format(blobs=blobs, base_url=platform))
    with workspace(tmp_path) as space:
        picture = space.keep(POSTED)
        shown = Attachment(url=f"{platform}/media/1.png", picture=picture)
        space.store.put([Post(platform="x", id="1", url="https://x.com/i/status/1", pictures=(shown,))])
        run(space, RunOptions())
    return tmp_path


def rot(space: Workspace, digest: str) -> None:
    """One bit of a picture turns; its length stays."""
    import obstore

    name = f"{digest[:2]}/{digest[2:]}"
    data = bytearray(space.blobs.get(digest))
    data[-1] ^= 1
    obstore.put(space.blobs._store, name, bytes(data))


def digests(space: Workspace) -> dict[str, str]:
    posted = next(space.store.records(Post)).pictures[0].picture
    sample = next(space.store.records(Sample))
    made = next(each for each in space.store.records(Output) if each.pictures[0].digest != sample.inputs[0].digest)
    return {"posted": posted.digest, "of a suite": sample.inputs[0].digest, "made": made.pictures[0].digest}


def test_what_has_an_origin_comes_back_and_the_rest_is_named_with_what_depends_on_it(folder: Path) -> None:
    with workspace(folder) as space:
        assert check(space)["damaged"] == {}
        pictures = digests(space)
        for digest in pictures.values():
            rot(space, digest)
            with pytest.raises(BlobLost, match="damaged"):
                space.blobs.get(digest)
        assert set(check(space)["damaged"]) == set(pictures.values())
        found = check(space, mend=True)
        assert set(found["mended"]) == {pictures["posted"], pictures["of a suite"]}
        assert list(found["damaged"]) == [pictures["made"]]
        (needing,) = found["depends"]
        assert (needing["kind"], needing["name"], needing["digest"]) == ("output", "blank", pictures["made"])
        assert space.blobs.get(pictures["posted"]) == POSTED
        assert space.blobs.get(pictures["of a suite"]) == OF_SUITE


def test_doctor_finds_it_and_says_the_remedy(folder: Path) -> None:
    with workspace(folder) as space:
        rot(space, digests(space)["posted"])
    (found,) = (each for each in examine(folder, offline=True) if each["check"] == "pictures")
    assert found["remedy"].startswith("1 of 3 pictures are lost or damaged; get them again")


def test_a_picture_that_is_gone_is_found_too(folder: Path) -> None:
    with workspace(folder) as space:
        digest = digests(space)["of a suite"]
        space.blobs.delete(digest)
        assert check(space, mend=True)["mended"] == {digest: "the source of custom"}


def test_a_unit_whose_picture_rotted_fails_with_the_reason_and_is_done_when_it_is_mended(folder: Path) -> None:
    write_text(
        folder / "groundswell.toml", (folder / "groundswell.toml").read_text().replace('["color"]', '["aspect"]')
    )
    with workspace(folder) as space:
        digest = digests(space)["of a suite"]
        rot(space, digest)
        for _ in range(5):  # more runs than an attempt is given
            run(space, RunOptions(only=("measure",)))
        assert totals(space)["failures"][0][0] == "measure"
        assert digest in totals(space)["failures"][0][1]
        check(space, mend=True)
        run(space, RunOptions(only=("measure",)))
        assert totals(space)["failures"] == []
        assert totals(space)["stages"]["measure"]["missing"] == 0


def test_an_address_that_gives_another_picture_mends_nothing(folder: Path) -> None:
    with workspace(folder) as space:
        picture = space.keep(encode_png(np.zeros((8, 8, 3), np.uint8)))
        base = next(space.store.records(Post)).pictures[0].url
        space.store.put([Post(platform="x", id="2", pictures=(Attachment(url=base, picture=picture),))])
        rot(space, picture.digest)
        found = check(space, mend=True)
        assert list(found["damaged"]) == [picture.digest]
        assert found["mended"] == {}
        assert len(editions(space)) == 1
