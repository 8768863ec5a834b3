"""Good input of every parser, to be damaged: small, and with each shape that the parser knows."""

from __future__ import annotations

import gzip
import json
from io import BytesIO
from typing import Any

import polars as pl
import zstandard


def _rows(*rows: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


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
        {"id_str": "5", "id": 5, "full_text": "a &amp; b", "user": {"id_str": "6", "screen_name": "h"},
         "created_at": "Sat Jan 23 20:19:45 +0000 2016", "in_reply_to_status_id_str": "4"},
        {"id": "c1", "body": "x", "author": "y", "parent_id": "t1_c0", "link_id": "t3_abc", "subreddit": "a",
         "created_utc": 1700000000, "permalink": "/r/a/comments/abc/t/c1/"},
        {"objectID": "9", "author": "x", "story_id": 8863, "comment_text": "<p>six", "created_at_i": 1700000000},
    )
]  # fmt: skip
POSTS += [gzip.compress(POSTS[0], mtime=0), zstandard.compress(POSTS[0]), POSTS[0].decode().encode("utf-16")]

REPLIES = [
    b"Instruction Following: 4\nVisual Quality: 8.5",
    b'```json\n{"Instruction Following": 4, "Visual Quality": 8}\n```',
    b"| Dimension | Score |\n|---|---|\n| Instruction Following | 4/5 |\n| Visual Quality | 8/10 |",
    b"The picture follows the instruction.\n\n**Instruction Following**: 4 out of 5. Visual Quality - [[8]]",
    b"I think left is better. Winner: left",
    b"<think>7</think> Final: [[7]]",
]

_SCALES = [{"name": "A", "low": 1, "high": 5, "step": 1}, {"name": "B", "low": 0, "high": 10, "weight": 0.5}]
BATTERIES = [
    _rows({"reply": "A: 4\nB: 7", "dimensions": _SCALES}, {"reply": "none", "dimensions": _SCALES[:1]}),
    _rows({"reply": '{"A": 3, "B": 2}', "dimensions": _SCALES, "note": None}),
]


def _parquet() -> bytes:
    table = pl.DataFrame({"left": ["a", "b", "c"], "right": ["b", "c", "a"], "winner": ["left", "tie", "both_bad"]})
    table.write_parquet(data := BytesIO())
    return data.getvalue()


VOTES = [
    _parquet(),
    b"left,right,winner\n" + b"a,b,left\nb,c,tie\nc,a,both_bad\n" * 3,
    b'{"left":"a","right":"b","winner":"left"}\n' * 4,
    b"left,right,winner,weight,sample\na,b,left,0.5,s\nb,a,right,1,t\n",
]

OPINIONS = [
    _rows(
        {"sample": 1, "left": "a", "right": "b", "winner": "left", "judge": "j", "rater": "r"},
        {"sample": 1, "left": "b", "right": "a", "winner": "tie", "judge": "k", "rater": "s"},
        {"sample": "2", "order": [["a", "b"], ["c"]], "judge": "j", "rater": "r"},
    )
]

SETTINGS = [
    b'[[endpoint]]\nname = "a"\nhost = "openai"\nbase_url = "http://x/v1"\nmodel = "m"\nkeys = ["env:K"]\n'
    b'price_per_image = 0.02\nlimits = { concurrency = 2, per_minute = 60 }\nsettings = { size = "1024x1024" }\n',
    b'[workspace]\nstore = "s.sqlite"\n[budget]\nusd = 2.5\n[panel]\njudges = []\nquorum = 1\nbaselines = ["blank"]\n',
    b'[[judge]]\nname = "j"\nhost = "openai"\nmodel = "m-2026-11-01"\nprice_in = 1.0\n[[suite]]\nname = "custom"\n',
    b'[arena]\nmin_look_seconds = 2.0\nmethodology = "2026-11"\nanchor.t2i = { overall = "a", category = "b" }\n',
]

RUBRICS = [
    b'+++\nname = "r"\nversion = 2\nmode = "grade"\n[[dimensions]]\nname = "A"\nlow = 1\nhigh = 5\nstep = 1\n'
    b"[rules]\ntemperature = 0.0\n+++\nJudge {instruction}.\n\nA: <1-5>\n",
    b'+++\nname = "p"\nmode = "pair"\n+++\nWhich is better?\n',
    b'+++\nname = "c"\nmode = "checklist"\ndimensions = [{ name = "yes", low = 0, high = 1 }]\n+++\nIs it?\n',
]

RULES = [
    json.dumps(rules).encode()
    for rules in (
        {"llava_bench_conv": {"role": "Assistant", "prompt": "Rate them."}, "default": {"prompt": "A: <1-5>"}},
        {"add": "Instruction: a whole number from 1 to 5\nQuality: [score 1-5]", "remove": "Score: 1 - 5"},
    )
]

SAMPLES = [
    _rows(
        {"id": 1, "suite": "s", "task": "t2i", "prompts": {"en": "a cat", "de": "eine Katze"}, "size": [64, 64],
         "tags": {"use_case": "u", "style": ["x"]}, "checks": [{"kind": "size", "width": 64}]},
        {"id": "b", "suite": "s", "task": "chat", "prompts": {"en": "why?"}, "reference": "so", "context": "c",
         "licence": {"id": "CC0", "redistribute": True}},
    ),
    _rows({"question_id": 0, "text": "What is it?", "category": "conv", "image": "0.png"},
          {"question_id": 1, "text": "And this?", "category": "detail"}),
]  # fmt: skip

RESULTS = [
    _rows({"sample_index": 1, "result": "because"}, {"sample_index": 0, "result": ""}),
    _rows({"id": "b", "result": "so"}, {"id": 1, "result": None}),
    _rows({"question_id": "b", "text": "so", "prompt": "why?"}),
]

SCORES = [
    _rows(
        {"sample_index": 0, "id": "a", "subset": "general", "task": "add", "lang": "en",
         "scores": {"instruction": 4, "quality": None}},
        {"sample_index": 1, "subset": "intelligent", "expert_domain": "history", "lang": "zh",
         "scores": {"knowledge": 3, "visual_quality": 4.5, "input_consistency": 2}},
    ),
    _rows({"question_id": 1, "category": "llava_bench_conv", "tuple": [8, 7.5]},
          {"question_id": 2, "category": "detail", "content": "8 9\nBoth are fine."}),
    _rows({"sample": 1, "model": "a", "judge": "j", "grade": 7},
          {"sample": 1, "model": "b", "judge": "j", "grade": 6.5},
          {"sample": 1, "model": "a", "judge": "k", "grade": None}),
]  # fmt: skip
