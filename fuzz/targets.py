"""What is fuzzed: each target takes damaged bytes, may raise only errors for a person, and keeps its promises."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

from groundswell import config
from groundswell.ask.reading import read, read_verdict
from groundswell.boards.options import RankOptions
from groundswell.boards.tables import read_votes
from groundswell.errors import UserError
from groundswell.ingest.reading import read_files
from groundswell.records import Dimension

Target = Callable[[bytes, Path], None]

DIMENSIONS = (
    Dimension(name="Instruction Following", low=1, high=5, step=1),
    Dimension(name="Visual Quality", low=1, high=10),
)
ONE = (Dimension(name="grade", low=1, high=10, step=1),)

POSTS = [
    json.dumps(row).encode()
    for row in (
        {"data": [{"id": "1", "text": "a", "author_id": "2", "created_at": "2026-11-01T00:00:00Z",
                   "referenced_tweets": [{"type": "replied_to", "id": "3"}]}]},
        {"kind": "t3", "data": {"id": "abc", "name": "t3_abc", "title": "t", "selftext": "b", "created_utc": 1.7e9,
                                "permalink": "/r/a/comments/abc/t/", "subreddit": "a", "author": "x"}},
        {"uri": "at://did:plc:a/app.bsky.feed.post/3k", "cid": "c", "author": {"did": "did:plc:a", "handle": "h"},
         "record": {"$type": "app.bsky.feed.post", "text": "x", "createdAt": "2026-11-01T00:00:00Z"}},
        {"id": "109", "uri": "https://m.example/users/a/statuses/109", "content": "<p>a</p>", "account": {"acct": "a"},
         "created_at": "2026-11-01T00:00:00Z", "in_reply_to_id": None, "media_attachments": []},
        {"id": 8863, "by": "d", "type": "story", "time": 1175714200, "title": "t", "kids": [1, 2]},
        {"guild": {"id": "1"}, "channel": {"id": "2"}, "messages": [
            {"id": "3", "type": "Default", "timestamp": "2026-11-01T00:00:00Z", "content": "x",
             "author": {"id": "4"}}]},
        {"name": "c", "type": "public_channel", "id": 1, "messages": [
            {"id": 1, "type": "message", "date": "2026-11-01T00:00:00", "text": ["a", {"type": "bold", "text": "b"}]}]},
    )
]  # fmt: skip
REPLIES = [
    b"Instruction Following: 4\nVisual Quality: 8.5",
    b'```json\n{"Instruction Following": 4, "Visual Quality": 8}\n```',
    b"| Dimension | Score |\n|---|---|\n| Instruction Following | 4/5 |\n| Visual Quality | 8/10 |",
    b"The picture follows the instruction.\n\n**Instruction Following**: 4 out of 5. Visual Quality - [[8]]",
    b"I think left is better. Winner: left",
    b"<think>7</think> Final: [[7]]",
]
VOTES = [b"left,right,winner\na,b,left\nb,c,tie\nc,a,both_bad\n" * 3, b'{"left":"a","right":"b","winner":"left"}\n' * 4]
SETTINGS = [
    b'[[endpoint]]\nname = "a"\nhost = "openai"\nbase_url = "http://x/v1"\nmodel = "m"\nkeys = ["env:K"]\n',
    b'[workspace]\nstore = "s.sqlite"\n[budget]\nusd = 2.5\n[panel]\njudges = []\nquorum = 1\n',
    b'[[judge]]\nname = "j"\nhost = "openai"\nmodel = "m-2026-11-01"\nprice_in = 1.0\n[[suite]]\nname = "custom"\n',
]


def posts(data: bytes, folder: Path) -> None:
    """Any file is posts, or is told not to be."""
    path = folder / "posts.json"
    path.write_bytes(data)
    read_files([path], salt=b"salt")


def replies(data: bytes, folder: Path) -> None:
    """A score that is read is on its scale; there is one for each dimension, or the reason why not."""
    reply = data.decode("utf-8", "replace")
    for dimensions in (DIMENSIONS, ONE):
        found = read(reply, dimensions)
        if (found.why is None) != (set(found.scores) == {each.name for each in dimensions}):
            raise AssertionError(f"scores {found.scores}, and why not: {found.why}")
        for each in dimensions:
            if not each.low <= found.scores.get(each.name, each.low) <= each.high:
                raise AssertionError(f"{each.name} is {found.scores[each.name]}")
    read_verdict(reply)


def votes(data: bytes, folder: Path) -> None:
    """A file of votes is counted, or its first fault is named."""
    path = folder / ("votes.jsonl" if data[:1] == b"{" else "votes.csv")
    path.write_bytes(data)
    found = read_votes(path, RankOptions())
    if not all(math.isfinite(weight) for weight in (found.votes.weight if found.votes.weight is not None else ())):
        raise AssertionError("a weight is not finite")


def settings(data: bytes, folder: Path) -> None:
    """A workspace file is understood, or the line that is wrong is named."""
    (folder / config.FILE_NAME).write_bytes(data)
    config.load(folder)


TARGETS: dict[str, tuple[Target, list[bytes]]] = {
    "replies": (replies, REPLIES),
    "settings": (settings, SETTINGS),
    "posts": (posts, POSTS),
    "votes": (votes, VOTES),
}


def holds(name: str, data: bytes, folder: Path) -> None:
    """Give damaged input to a target; an error for a person, in one line, is a right answer."""
    try:
        TARGETS[name][0](data, folder)
    except UserError as error:
        if "Traceback" in str(error):
            raise AssertionError("a traceback in an error for a person") from error
