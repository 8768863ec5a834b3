"""Numbers and names as a reader sees them, and text of strangers made harmless."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundswell.publish import wording


@given(st.text(max_size=80), st.text(max_size=80))
def test_a_slug_is_safe_on_every_system_and_tells_names_apart(one: str, other: str):
    slug = wording.slug(one)
    assert slug
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert (slug == wording.slug(other)) == (one == other)


def test_a_plain_name_is_its_own_slug_but_never_takes_the_place_of_an_index():
    assert wording.slug("flux-dev") == "flux-dev"
    assert wording.slug("index").startswith("index-")


@pytest.mark.parametrize("url", [
    "javascript:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)", "data:text/html,x", "//evil.example/x",
    "https:", "vbscript:x", "", None, "http://[::1", "file:///etc/passwd",
])  # fmt: skip
def test_an_address_that_is_no_web_page_is_not_a_link(url: str | None):
    assert wording.web_address(url) is None


def test_a_web_address_stays_as_it_is():
    assert wording.web_address("https://example.org/a?b=1#c") == "https://example.org/a?b=1#c"


@given(st.text())
def test_clean_text_holds_no_control_that_a_reader_does_not_see(text: str):
    clean = wording.clean(text)
    assert not any(0x202A <= ord(character) <= 0x202E or 0x2066 <= ord(character) <= 0x2069 for character in clean)
    assert "\x00" not in clean
    assert wording.clean(clean) == clean


def test_an_override_is_written_out_and_arabic_marks_stay():
    assert wording.clean("a\u202eb") == "a[U+202E]b"
    assert wording.clean("\u200fمرحبا") == "\u200fمرحبا"


def test_a_csv_cell_is_never_a_formula():
    assert [wording.csv_cell(text)[0] for text in ("=1+1", "+1", "-1", "@x", "\t=1")] == ["'"] * 5
    assert wording.csv_cell("plain") == "plain"


def test_absence_is_a_dash_and_minus_is_a_minus():
    assert wording.number(None) == wording.percent(None) == wording.seconds(None) == "–"
    assert wording.number(-1234.5, 1) == "−1,234.5"
    assert wording.number(-0.01) == "0"
    assert [wording.seconds(0.05), wording.seconds(3.21)] == ["50 ms", "3.2 s"]
    assert [wording.short(27.749), wording.short(0.06239), wording.short(1234.0)] == ["27.7", "0.062", "1,234"]
