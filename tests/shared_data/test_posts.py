"""Every export file outside the repository gives the counts that an independent recount gave."""

from __future__ import annotations

import json

import pytest

from groundswell.ingest import read_files
from groundswell.ingest.threads import thread_rows, weave

COUNTS = """
    posts replies missing_parents pictures quotes retweets duplicates seen bad_lines errors more_stubs media_failed
    note_tweets service edit_history_entries authors""".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def expected(shared):
    return json.loads((shared / "posts" / "EXPECTED.json").read_text())


def test_every_file_gives_its_counts(shared, expected):
    wrong = {}
    for name, wanted in expected["files"].items():
        wanted = {**wanted, **wanted.get("read_line_by_line", {})}
        (row,) = read_files([shared / "posts" / name], salt="s").report()["files"]
        told = [key for key in COUNTS if key in wanted]
        off = {key: (wanted[key], row.get(key, 0)) for key in told if wanted[key] != row.get(key, 0)}
        if wanted.get("posts") and wanted["format"] != row["format"]:
            off["format"] = (wanted["format"], row["format"])
        if wanted.get("not_posts", False) != row["not_posts"] and "also_ok" not in wanted:
            off["not_posts"] = row["what"]
        if off:
            wrong[name] = off
    assert wrong == {}


def test_files_read_together_give_the_counts_after_merging(shared, expected):
    for group in expected["together"]:
        result = read_files([shared / "posts" / name for name in group["files"]], salt="s")
        report = result.report()
        assert {key: report[key] for key in ("posts", "replies", "missing_parents")} == {
            key: group[key] for key in ("posts", "replies", "missing_parents")
        }
        if "revision_groups" in group:
            assert len(weave(result.posts).forest.starts) - 1 == group["revision_groups"]


def test_the_whole_folder_gives_the_totals_and_refuses_what_is_no_export(shared, expected):
    report = read_files([shared / "posts"], salt="s").report()
    for folder, wanted in expected["totals"].items():
        rows = [row for row in report["files"] if f"/posts/{folder}/" in row["path"]]
        rows = [row for row in rows if not row["path"].endswith("malformed.json")]
        assert sum(row["posts"] for row in rows) == wanted["posts"], folder
        assert sum(row["pictures"] for row in rows) == wanted["pictures"], folder
    refused = {row["path"].rsplit("/", 1)[-1]: row["what"] for row in report["files"] if row["not_posts"]}
    assert refused == {
        "EXPECTED.json": "JSON with the keys about, definitions, files, together, other_files, ...",
        "W1-dream-19.content.head1300.csv": "a CSV table",
        "extract.yml": "YAML",
        "search_ai_art_listing.labels.json": "labels about posts",
        "counts.jsonl": "post counts",
        "tweets_compliance.jsonl": "compliance events (deletions)",
    }


def test_conversations_of_the_community_export_are_those_of_its_truth(shared):
    truth = json.loads((shared / "community" / "x_v2_truth.json").read_text())
    result = read_files([shared / "community" / "x_v2_posts.jsonl"], salt="s")
    report = result.report()
    assert {key: report[key] for key in ("posts", "replies", "missing_parents")} == {
        key: truth["counts"][key] for key in ("posts", "replies", "missing_parents")
    }
    by_id = {post.id: post.key for post in result.posts}
    matched = {by_id[thread["main"]] for thread in truth["threads"]}
    threads = list(thread_rows(weave([*result.posts, *result.tombstones]), matched))
    found = {thread["main"]: thread for thread in threads}
    orphans = {orphan["post"] for orphan in truth["orphans"]}

    def tree(replies):
        return sorted((each["post"], tree(each["replies"])) for each in replies if not each.get("missing"))

    for wanted in truth["threads"]:
        thread = found[wanted["main"]]
        assert thread["ancestors"] == wanted["ancestors"]
        assert tree(thread["replies"]) == tree(wanted["tree"]["replies"])
    missing = {id for thread in threads for id in thread["missing"]}
    assert missing == {orphan["missing_parent"] for orphan in truth["orphans"]}
    for orphan in truth["orphans"]:
        assert orphans & set(found[orphan["conversation"]]["members"])


def test_all_files_in_the_opposite_order_make_the_same_threads(shared):
    files = sorted(path for path in (shared / "posts").rglob("*") if path.is_file())
    one, two = (read_files(order, salt="s") for order in (files, files[::-1]))
    assert {post.key: post for post in one.posts} == {post.key: post for post in two.posts}
    threads = [list(weave([*result.posts, *result.tombstones]).threads()) for result in (one, two)]
    assert threads[0] == threads[1]
