"""The site as files: complete, self-contained, the same each time, and inert whatever strangers wrote."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urlsplit

import msgspec
import pytest

from groundswell.errors import UserError
from groundswell.publish import report, site

HEAVIEST = 500_000
"""Bytes of a page before its pictures."""


@dataclass
class Page(HTMLParser):
    """What a browser would find in a page: its addresses, ids, tags and handlers."""

    addresses: list[tuple[str, str]] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    tags: list[str] = field(default_factory=list)
    handlers: list[str] = field(default_factory=list)

    def __post_init__(self):
        super().__init__()

    @classmethod
    def of(cls, path: Path) -> "Page":
        page = cls()
        page.feed(path.read_text())
        return page

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.add(value)
            if name in ("href", "src", "xlink:href", "action", "srcset", "poster", "data"):
                self.addresses.append((tag, value))
            if name.startswith("on"):
                self.handlers.append(name)


def _pages(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.html"))


def test_the_same_snapshot_gives_the_same_site(world, built, tmp_path):
    again = world.site(tmp_path)
    files = {path.relative_to(built): path.read_bytes() for path in built.rglob("*") if path.is_file()}
    assert files == {path.relative_to(again): path.read_bytes() for path in again.rglob("*") if path.is_file()}


@pytest.mark.parametrize("which", ["built", "attacked"])
def test_every_address_leads_to_a_file_of_the_site_and_nothing_is_fetched_from_elsewhere(which, request):
    folder = request.getfixturevalue(which)
    pages = {path: Page.of(path) for path in _pages(folder)}
    for path, page in pages.items():
        for tag, address in page.addresses:
            if urlsplit(address).scheme:
                drawn = address.startswith(("data:image/svg+xml", "data:image/png;base64,")) or address == "data:,"
                assert tag == "a" or drawn, (path, address)
                assert urlsplit(address).scheme in ("http", "https", "data")
                continue
            target, fragment = urldefrag(address)
            found = (path.parent / target).resolve() if target else path
            assert found.is_file(), (path, address)
            assert not fragment or fragment in pages[found].ids, (path, address)


def test_there_is_a_page_for_everything(built):
    pages = {str(path.relative_to(built)) for path in _pages(built)}
    wanted = {"index.html", "method.html", "data.html", "endpoints.html", "community.html", "samples/index.html"}
    wanted |= {"models/ada.html", "judges/judge-a.html", "compare/ada--bob.html", "boards/looks--edit--2026-11.html"}
    assert all(any(page.startswith(want) for page in pages) for want in wanted)


def test_no_page_is_heavy(built, attacked):
    assert max(path.stat().st_size for folder in (built, attacked) for path in _pages(folder)) < HEAVIEST


def test_text_of_strangers_is_text(attacked, attacks):
    for path in _pages(attacked):
        page, text = Page.of(path), path.read_text()
        assert page.handlers == [], path
        assert page.tags.count("script") == 1, path
        assert {"iframe", "object", "embed", "base"}.isdisjoint(page.tags), path
        assert not any(chr(code) in text for code in (0x202E, 0x2066, 0, 0x1B)), path
        for _, address in page.addresses:
            assert not address.lower().strip().startswith(("javascript:", "vbscript:", "data:text")), path
    whole = "".join(path.read_text() for path in _pages(attacked))
    assert "{{ 7 * 7 }}" in whole
    assert "&lt;script&gt;window.hit=1&lt;/script&gt;" in whole


def test_hostile_names_make_files_only_inside_the_site(attacked):
    outside = {path.name for path in attacked.parent.iterdir()} - {"snapshot", "site"}
    assert outside == set()


def test_csv_cells_are_not_formulas(attacked):
    tables = [path.read_text() for path in (attacked / "api" / "boards").glob("*.csv")]
    assert any("'=HYPERLINK" in table for table in tables)
    assert not any(line.startswith(("=", "@", '"=')) for table in tables for line in table.splitlines())


def test_the_api_names_every_board_and_sample(built):
    index = msgspec.json.decode((built / "api" / "index.json").read_bytes())
    assert index["version"] == 1
    for board in index["boards"]:
        found = msgspec.json.decode((built / "api" / "boards" / f"{board['slug']}.json").read_bytes())
        assert found["ratings"][0]["model"] == "ada"
    for key in index["samples"]:
        found = msgspec.json.decode((built / "api" / "samples" / f"{key}.json").read_bytes())
        assert found["key"] == key


def test_a_refusal_a_failure_and_a_missing_grade_are_words_and_never_numbers(built):
    text = "".join(path.read_text() for path in (built / "samples").glob("*.html"))
    for said in ("refused", "not allowed: a plain sentence (at the input)", "failed: timeout", "blocked", "truncated"):
        assert said in text
    assert "no face in the input" in text


def test_held_back_text_is_said_to_be_held_back(built):
    pages = [path for path in (built / "samples").glob("*.html") if "held back by its licence" in path.read_text()]
    assert len(pages) == 1
    assert "not passed on" in pages[0].read_text()


def test_a_folder_that_is_not_a_site_is_left_alone(world, tmp_path):
    world.write(tmp_path / "snapshot")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "thesis.tex").write_text("mine")
    with pytest.raises(UserError, match="name another"):
        site.build(tmp_path / "snapshot", tmp_path / "site")
    assert (tmp_path / "site" / "thesis.tex").read_text() == "mine"


def test_a_site_is_replaced_whole(world, tmp_path):
    out = world.site(tmp_path)
    (out / "stale.html").write_text("old")
    site.build(tmp_path / "snapshot", out)
    assert not (out / "stale.html").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["site", "snapshot"]


def test_a_report_is_one_file_and_a_table_for_a_pull_request(world, tmp_path):
    world.write(tmp_path / "snapshot")
    page, table = report.build(tmp_path / "snapshot", tmp_path / "out")
    found = Page.of(page)
    assert all(address.startswith("data:image/jpeg") for _, address in found.addresses)
    assert "A cat on a mat." in page.read_text()
    assert "Old Model" in page.read_text()
    assert "| Old Model | published | 70.1 |" in table.read_text()
    lines = table.read_text().splitlines()
    assert lines[4].startswith("| 1–2 | ada | 1,200 | 1,150 to 1,250 | 90 % | 2/3 | 0 | 1 |")
    assert any(line.startswith("| ↓ | copy-input | not ranked | – |") for line in lines)


def test_a_report_of_hostile_text_is_inert(hostile, tmp_path):
    hostile.write(tmp_path / "snapshot")
    page, table = report.build(tmp_path / "snapshot", tmp_path)
    found = Page.of(page)
    assert found.handlers == []
    assert "script" not in found.tags
    rows = [line for line in table.read_text().splitlines() if line.startswith("|")]
    assert "<" not in table.read_text()
    assert {line.replace("\\|", "").count("|") for line in rows} == {9, 4}


def test_a_posts_thread_is_a_tree_with_what_was_used_marked(built):
    page = next(path for path in (built / "samples").glob("*.html") if ">Make it blue.</h1>" in path.read_text())
    text = page.read_text()
    assert '<li style="--indent:0" class="used">bluesky' in text
    assert '<li style="--indent:1">bluesky' in text


def test_a_slice_says_how_many_samples_it_stands_on(built):
    text = (built / "boards" / "looks--edit--2026-11.html").read_text()
    assert '<bdi>consumer</bdi></span><br><span class="soft">n = 1</span>' in text
