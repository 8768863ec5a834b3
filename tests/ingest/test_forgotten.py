"""What was forgotten does not come back: not from the same file, not edited, not through another instance."""

from __future__ import annotations

import io
import json

import pytest
from PIL import Image

from groundswell.flow.community import ingest
from groundswell.flow.forgetting import forget
from groundswell.flow.workspace import initialise, workspace
from groundswell.records import Post

SECRET = "violet walrus 7Q2"


@pytest.fixture
def space(tmp_path):
    initialise(tmp_path / "w")
    with workspace(tmp_path / "w") as space:
        yield space


def bring(space, place, name, value, pool="local"):
    """Ingest one export; gives the texts that are here then."""
    path = place / name
    path.write_text(json.dumps(value))
    ingest(space, [path], format="auto", pool=pool)
    return sorted(post.text for post in space.store.records(Post))


def tweet(id, text, history, **more):
    return {"id": id, "text": text, "author_id": "7", "created_at": "2026-11-01T00:00:00Z",
            "edit_history_tweet_ids": history, **more}  # fmt: skip


def on_disk(space):
    return b"".join(path.read_bytes() for path in space.config.folder.rglob("*") if path.is_file())


def test_neither_the_file_nor_a_later_edit_nor_a_quote_brings_a_post_back(space, tmp_path):
    bring(space, tmp_path, "first.json", {"data": [tweet("1", SECRET, ["1", "2"]), tweet("5", "another", ["5"])]})
    assert forget(space, "https://twitter.com/a/status/1")["posts"] == 1
    edited = tweet("2", f"{SECRET}, edited", ["1", "2"])
    quoting = tweet("3", "look at this", ["3"], referenced_tweets=[{"type": "quoted", "id": "1"}])
    everything = {"data": [quoting, edited], "includes": {"tweets": [tweet("1", SECRET, ["1", "2"])]}}
    assert bring(space, tmp_path, "again.json", everything) == ["another", "look at this"]
    assert SECRET.encode() not in on_disk(space)
    assert {stone["kind"] for stone in space.store.tombstones()} == {"post", "unknown"}


def test_all_versions_that_are_here_go_together_and_a_new_one_stays_out(space, tmp_path):
    def comment(edited, text):
        data = {"id": "c", "name": "t1_c", "body": text, "author": "ann", "parent_id": "t3_s", "link_id": "t3_s",
                "permalink": "/r/a/comments/s/x/c/", "created_utc": 1_700_000_000, "edited": edited}  # fmt: skip
        return {"kind": "t1", "data": data}

    bring(space, tmp_path, "one.json", comment(False, SECRET))
    bring(space, tmp_path, "two.json", comment(1_700_000_100, f"{SECRET} twice"))
    assert forget(space, "https://www.reddit.com/r/a/comments/s/x/c/")["posts"] == 2
    assert bring(space, tmp_path, "three.json", comment(1_700_000_200, f"{SECRET} thrice")) == []


def test_a_status_does_not_come_back_through_another_instance(space, tmp_path, exports):
    status = exports["mastodon"]["descendants"][0] | {"content": SECRET}
    bring(space, tmp_path, "here.json", status)
    forget(space, status["url"])
    account = {"acct": "fox@hens.example", "url": "https://hens.example/@fox"}
    there = status | {"id": "9", "account": account, "tags": [{"name": "x", "url": "https://far.example/tags/x"}]}
    assert bring(space, tmp_path, "there.json", there) == []


def test_pictures_beside_the_export_do_not_come_back_either(space, tmp_path):
    picture = io.BytesIO()
    Image.new("RGB", (8, 8), "violet").save(picture, "PNG")
    (tmp_path / "fox.png").write_bytes(picture.getvalue())
    chat = {"name": "c", "type": "public_channel", "id": 1,
            "messages": [{"id": 1, "type": "message", "date_unixtime": "1700000000", "from_id": "user1",
                          "photo": "fox.png", "text": SECRET}]}  # fmt: skip
    bring(space, tmp_path, "chat.json", chat)
    [post] = space.store.records(Post)
    assert len(list(space.blobs.digests())) == 1
    forget(space, post.url or post.id)
    assert bring(space, tmp_path, "chat.json", chat) == []
    assert list(space.blobs.digests()) == []
