"""Files of every condition, merging, refusals, privacy."""

from __future__ import annotations

import gzip
import itertools
import json
import os

import pytest
import zstandard

from groundswell import plugins
from groundswell.errors import UserError
from groundswell.ingest import FileSource, detect, read_files, stream
from groundswell.records import Post


def line(id, text="a", **more):
    return json.dumps({"id": id, "text": text, "author_id": "7", **more}, ensure_ascii=False)


def test_a_torn_last_line_costs_only_itself_and_is_named(read):
    report = read(line("1") + "\n" + line("2") + '\n{"id": "3", "te').report()
    assert (report["posts"], report["bad_lines"], report["files"][0]["bad_line_numbers"]) == (2, 1, [3])


def test_a_torn_first_line_costs_only_itself(read):
    report = read('"text": "x"}\n' + line("1") + "\n" + line("2")).report()
    assert (report["posts"], report["files"][0]["bad_line_numbers"]) == (2, [1])


def test_blank_lines_and_line_separators_inside_a_text_do_not_split_a_line(read):
    result = read("\n\r\n" + line("1", "a\u2028b\u0085c") + "\r\n\r\n" + line("2") + "\r\n")
    assert [post.text for post in result.posts] == ["a\u2028b\u0085c", "a"]
    assert result.report()["bad_lines"] == 0


def test_values_one_after_the_other_as_jq_prints_them_are_read(read):
    both = json.dumps(json.loads(line("1")), indent=2) + "\n" + json.dumps(json.loads(line("2")), indent=2)
    assert read(both).report()["posts"] == 2


def test_gzip_and_zstandard_are_read_and_other_archives_are_refused_by_name(read):
    data = (line("1") + "\n" + line("2")).encode()
    two_frames = zstandard.compress(data[:9]) + zstandard.compress(data[9:])
    long_window = zstandard.ZstdCompressor(compression_params=zstandard.ZstdCompressionParameters(window_log=31))
    packed = long_window.compressobj()  # of unknown size, as a dump that was written as a stream
    streamed = packed.compress(data) + packed.flush()
    for value in (gzip.compress(data), two_frames, streamed):
        assert read(value).report()["posts"] == 2
    assert "bzip2" in read(b"BZh91AY").report()["files"][0]["what"]
    assert "damaged" in read(b"\x28\xb5\x2f\xfd1234").report()["files"][0]["what"]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_bomb_is_refused_before_it_fills_the_memory(read, pack):
    data = line("1").encode() + b"\n" + bytes(90_000_000)
    (row,) = read(pack(data)).report()["files"]
    assert "200 times" in row["what"]


def test_half_a_surrogate_pair_becomes_a_replacement_character(read):
    text = r"a\ud83d b \ud83d\ude00 \\ud83d \udc00"
    assert read('{"id": "1", "text": "' + text + '", "author_id": "7"}').posts[0].text == "a\ufffd b 😀 \\ud83d \ufffd"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("a,b\n1,2\n", "a CSV table"),
        ("tests:\n  mentions:\n    - description: x\n", "YAML"),
        ("<html></html>", "HTML or XML"),
        ('{"data": [{"start": "a", "tweet_count": 3}]}', "post counts"),
        ('{"id": "1", "action": "delete", "created_at": "x"}', "compliance events (deletions)"),
        ('{"data": [{"id": "1", "username": "fox", "description": "x"}]}', "user profiles"),
        ('{"scale": "1..5", "labels": {}}', "labels about posts"),
        ("[1, 2, 3]", "a list of ids"),
        ('{"about": "x", "files": {}}', "JSON with the keys about, files"),
        ('window.YTD.follower.part0 = [{"follower": {"accountId": "1"}}]', "the part 'follower' of an X archive"),
        (b"\x89PNG\r\n\x1a\n", "a picture"),
    ],
)
def test_a_file_without_posts_is_refused_for_what_it_is(content, what, read):
    result = read(content)
    (row,) = result.report()["files"]
    assert (row["not_posts"], row["what"], row["format"], result.posts) == (True, what, None, [])


def test_an_empty_file_gives_no_posts_and_says_so(read):
    (row,) = read("").report()["files"]
    assert (row["posts"], row["what"], row["not_posts"]) == (0, "an empty file", False)


def test_what_stands_between_posts_and_is_none_is_counted_by_name(read):
    (row,) = read(line("1") + '\n{"errors": []}\nnull\n' + line("2")).report()["files"]
    assert (row["posts"], row["unread"]) == (2, {"an error answer": 1, "a single JSON NoneType": 1})


def test_files_are_merged_to_the_same_posts_in_any_order(read):
    pages = [
        line("1", "short"),
        line("1", "longer words", created_at="2025-01-01T00:00:00Z"),
        line("1", "longer words", lang="en"),
    ]
    found = [read(*order).posts for order in itertools.permutations(pages)]
    assert found == [found[0]] * 6
    assert [post.text for post in found[0]] == ["longer words"]


def test_one_folder_named_twice_is_read_once(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text(line("1"))
    report = read_files([tmp_path, tmp_path / "in", tmp_path / "in" / "a.jsonl"], salt="s").report()
    assert (len(report["files"]), report["duplicates"]) == (1, 0)


def test_authors_are_hashed_with_the_salt_and_never_named(tmp_path):
    (tmp_path / "a.jsonl").write_text(line("1") + "\n" + line("2"))
    one, two = (read_files([tmp_path], salt=salt).posts for salt in ("a", "b"))
    assert one[0].author == one[1].author != two[0].author
    assert len(one[0].author or "") == 32


def test_a_missing_file_an_unknown_format_and_an_empty_salt_are_the_users_to_mend(tmp_path):
    with pytest.raises(UserError, match=r"nowhere\.json: no such file"):
        read_files([tmp_path / "nowhere.json"], salt="s")
    with pytest.raises(UserError, match="unknown format 'x-v9'; known are auto, "):
        read_files([], salt="s", format="x-v9")
    (tmp_path / "a.jsonl").write_text(line("1"))
    with pytest.raises(UserError, match="salt"):
        read_files([tmp_path], salt="")


def test_a_forced_format_reads_only_what_is_of_it(read, exports):
    assert read(line("1"), format="reddit").report()["not_posts"] == 1
    assert read(exports["reddit"], format="reddit").report()["posts"] == 3


def test_a_source_streams_posts_and_refuses_a_file_without_any(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(line(str(n)) for n in range(3)))
    assert [post.id for post in FileSource(name="x-v2", salt="s").posts(path)] == ["0", "1", "2"]
    path.write_text("a,b\n")
    with pytest.raises(UserError, match="holds no posts: it is a CSV table"):
        list(stream(path, salt="s"))
    assert detect(path).format is None


def test_a_large_file_of_lines_is_streamed(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(line(str(n)) for n in range(1000)) + "\nno json")
    posts = stream(path, salt="s")
    assert next(posts).id == "0"


def test_a_conversation_nested_thirty_thousand_deep_is_read_without_recursion(read):
    head = (
        '{"kind":"t1","data":{"id":"%d","body":"x","parent_id":"t1_%d","replies":{"kind":"Listing","data":{"children":['
    )
    deep = "".join(head % (n, n - 1) for n in range(30_000)) + "]}}}}" * 30_000
    assert read(deep).report()["posts"] == 30_000


@pytest.mark.parametrize("letters", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
def test_text_in_any_unicode_form_is_read_with_a_mark_or_without(read, letters):
    assert read((line("1") + "\n" + line("2", "猫")).encode(letters)).posts[1].text == "猫"


def test_files_with_byte_order_marks_that_were_put_together_are_read(read):
    assert read("\n".join("\ufeff" + line(id) for id in "123")).report()["posts"] == 3


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_compressed_file_that_was_cut_gives_what_stands_before_the_cut(read, pack):
    packed = pack("\n".join(line(str(n), os.urandom(30).hex()) for n in range(9000)).encode())
    (row,) = read(packed[:-9000]).report()["files"]
    assert row["posts"] > 7000
    assert (row["bad_lines"], row["not_posts"]) == (1, False)


def test_rubbish_behind_a_compressed_file_does_not_end_the_whole_reading(read):
    report = read(gzip.compress(line("1").encode()) + b"rubbish", line("2")).report()
    assert (report["posts"], report["files"][0]["what"][:26]) == (1, "a damaged compressed file:")


def test_an_id_that_a_spreadsheet_wrote_as_a_float_is_reported(read):
    assert read(line("1.23456789012346E+18")).report()["unsafe_ids"] == 1


def test_a_folder_with_links_in_a_circle_pipes_and_copies_is_read_once(tmp_path):
    (tmp_path / "a.json").write_text(line("1"))
    (tmp_path / "copy.json").write_text(line("1"))
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "nowhere").symlink_to("missing")
    os.mkfifo(tmp_path / "pipe")
    report = read_files([tmp_path, tmp_path / "a.json"], salt="s").report()
    assert (report["posts"], report["duplicates"], len(report["files"])) == (1, 1, 2)
    with pytest.raises(UserError, match="pipe or a device"):
        read_files([tmp_path / "pipe"], salt="s")


class Letters:
    """A source as a plugin would bring it: one letter a line, with its author's name."""

    name = "letters"

    def posts(self, where):
        rows = [row.split("|") for row in where.read_text().splitlines()]
        if any(len(row) != 3 for row in rows):
            raise UserError("these are no letters", where=where)
        return iter([Post(platform="letters", id=id, author=author, text=text) for id, author, text in rows])


def test_an_installed_source_is_read_by_its_name_and_its_authors_are_hashed_here(tmp_path, monkeypatch):
    monkeypatch.setattr(plugins, "names", lambda seam: ["letters"])
    monkeypatch.setattr(plugins, "load", lambda seam, name: Letters)
    letters, other = tmp_path / "letters.txt", tmp_path / "other.txt"
    letters.write_text("1|Ann|write to ann@example.org")
    other.write_text("a letter")
    result = read_files([letters, other], format="letters", salt="s")
    assert result.posts[0].text == "write to [email]"
    assert "Ann" not in (result.posts[0].author or "Ann")
    assert [row.get("what") for row in result.report()["files"]] == [None, "these are no letters"]
