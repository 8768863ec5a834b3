"""Words as a person reads them, without private contacts."""

from __future__ import annotations

import pytest

from groundswell.ingest.wording import masked, plain, unescape


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("write to fox.hen+x@mail.example.org.", "write to [email]."),
        ("联系我fox@example.com谢谢", "联系我[email]谢谢"),
        ("mailto:fox@example.com", "mailto:[email]"),
        ("https://a.example/?to=fox@example.com", "https://a.example/?to=[email]"),
        ("call +49 30 1234567 now", "call [phone] now"),
        ("+1 (555) 123-4567", "[phone]"),
        ("(555) 123-4567 or 555-123-4567", "[phone] or [phone]"),
        ("电话：13812345678", "电话：[phone]"),
    ],
)
def test_private_contacts_are_masked(text, kept):
    assert masked(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "@fox@hens.example hello",
        "https://hens.example/@fox/109401122167063957",
        "https://user@host.example/x",
        "a 1080x1080 picture, --seed 1234567890 --ar 16:9",
        "2025-11-30 10:00, version 1.2.3, 1,000,000 hens",
        "price 555.12 @ 4",
        "a @fox b",
    ],
)
def test_accounts_seeds_sizes_and_dates_are_left_alone(text):
    assert masked(text) == text


def test_an_account_that_the_post_mentions_is_no_address():
    assert masked("fox@hens.example and hen@mail.example", {"fox@hens.example"}) == "fox@hens.example and [email]"


def test_html_becomes_paragraphs_with_links_in_full():
    html = (
        '<p class="quote-inline">RE: <a href="https://a.example/1">a</a></p><p>one<br>two &amp; three</p>'
        '<p><a href="https://a.example/path"><span class="invisible">https://</span><span>a.example/pa…</span></a> '
        '<a class="mention" href="https://hens.example/@fox">@<span>fox</span></a></p>'
    )
    assert plain(html) == "one\ntwo & three\n\nhttps://a.example/path @fox"


def test_escapes_are_undone_once_and_only_those_of_the_platforms():
    assert unescape("a &amp;lt; b &lt; c ?x=1&copy=2") == "a &lt; b < c ?x=1&copy=2"
