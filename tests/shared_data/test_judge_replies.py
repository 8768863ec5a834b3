"""Real replies of judges: each has scores only where a careful reader found all of them."""

import json

from groundswell.ask.reading import parse_file, read, read_verdict
from groundswell.records import Dimension


def rows_of(shared):
    lines = (shared / "judge_replies" / "judge_replies.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def test_every_reply_comes_out_as_the_careful_reader_says(shared, tmp_path):
    rows = [row for row in rows_of(shared) if "dimensions" in row]
    asked = tmp_path / "asked.jsonl"
    asked.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    numeric = 0
    for row, found in zip(rows, parse_file(asked), strict=True):
        human = row["human"]["scores"] or {}
        wanted = {dimension["name"]: human.get(dimension["name"]) for dimension in row["dimensions"]}
        complete = None not in wanted.values()
        numeric += complete
        assert found["scores"] == (wanted if complete else None), row["id"]
        assert (found["why"] is None) == complete, row["id"]
    assert (len(rows), numeric) == (45, 27)


def test_several_different_verdicts_are_none(shared):
    rows = [row for row in rows_of(shared) if "verdict" in (row["human"]["scores"] or {})]
    found = [read_verdict(row["reply"]) for row in rows]
    assert [read.why is None for read in found] == [row["human"]["status"] == "ok" for row in rows]
    assert [read.verdict for read in found if read.verdict] == ["A>B", "B>A"]


def test_all_published_reviews_read_as_their_authors_did(shared):
    pair = [Dimension(name=f"assistant{number}", low=1, high=10) for number in (1, 2)]
    reviews = [*(shared / "llava" / "reviews").iterdir(), *(shared / "llava" / "vicuna80").iterdir()]
    count = 0
    for path in reviews:
        for line in path.read_text("utf-8").split("\n"):
            if line:
                row = json.loads(line)
                found = read(row.get("content") or row["text"], pair)
                assert list(found.scores.values()) == (row.get("tuple") or row["score"])
                count += 1
    assert count == 200
