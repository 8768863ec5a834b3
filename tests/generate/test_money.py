import pytest

from groundswell.generate.differing import differences
from groundswell.generate.prices import cost_after, expected
from groundswell.records import Answer, Broken, Declined, Endpoint, Picture, Price, Sample, Usage

T2I = Sample(suite="s", task="t2i", prompts={"en": "x" * 300})
CHAT = Sample(suite="s", task="chat", prompts={"en": "x" * 300})


def endpoint(price=None, **settings):
    return Endpoint(name="e", host="h", model="gpt-image-2", price=price, settings=settings)


def test_a_price_that_nobody_stated_is_not_known_and_never_zero():
    assert expected(endpoint(), T2I) is None
    assert expected(endpoint(Price(tokens_in=1.0)), T2I) is None


def test_the_book_knows_sizes_and_qualities():
    book = Price(per_image=0.04, by_size={"1024x1536 high": 0.25, "high": 0.167}, source="list", date="2026-11-01")
    tall = Sample(suite="s", task="t2i", prompts={"en": "x"}, size=(1024, 1536))
    assert expected(endpoint(book, quality="high"), tall) == 0.25
    assert expected(endpoint(book, quality="high"), T2I) == 0.167
    assert expected(endpoint(book), T2I) == 0.04


def test_tokens_are_priced_by_the_picture_that_they_make():
    price = Price(tokens_in=10.0, tokens_out=40.0, tokens_per_image=1000)
    assert expected(endpoint(price), T2I) == pytest.approx((100 * 10 + 1000 * 40) / 1e6)
    assert expected(endpoint(price), CHAT) == pytest.approx((100 * 10 + 1024 * 40) / 1e6)


@pytest.mark.parametrize(
    ("came", "cost"),
    [
        (Answer(cost=0.03), 0.03),
        (Answer(usage=Usage(tokens_in=100, tokens_out=1290)), (100 * 1.0 + 1290 * 10.0) / 1e6),
        (Answer(), 0.04),
        (Broken(what="provider", reason="500", transient=True), 0.0),
        (Broken(what="download", reason="403", transient=False), None),
        (Declined(reason="no"), None),
        (Declined(reason="painter: no", cost=0.01), 0.01),
    ],
)
def test_the_cost_is_what_the_host_says_then_what_it_counted_then_what_is_stated(came, cost):
    price = Price(per_image=0.04, tokens_in=1.0, tokens_out=10.0)
    assert cost_after(came, endpoint(price), 0.04) == (None if cost is None else pytest.approx(cost))


def picture(width, height, kind="image/png"):
    return Picture(digest="d", media_type=kind, width=width, height=height)


@pytest.mark.parametrize(
    ("settings", "size", "came", "answer", "said"),
    [
        ({"size": "1024x1024"}, None, picture(1024, 1024), Answer(), ()),
        ({"size": "1024x1024"}, None, picture(512, 512), Answer(), ("asked for 1024x1024, 512x512 came",)),
        ({}, (1000, 500), picture(2048, 1024), Answer(), ()),
        ({}, (1000, 500), picture(1024, 1024), Answer(), ("asked for the proportions of 1000x500, 1024x1024 came",)),
        ({"output_format": "jpg"}, None, picture(8, 8, "image/jpeg"), Answer(), ()),
        ({"output_format": "png"}, None, picture(8, 8, "image/webp"), Answer(), ("asked for png, image/webp came",)),
        ({}, None, picture(8, 8), Answer(served_model="gpt-image-2-2026-04-21"), ()),
        ({}, None, picture(8, 8), Answer(served_model="openai/gpt-image-2:free"), ()),
        ({}, None, picture(8, 8), Answer(served_model="flux"), ("asked for gpt-image-2, flux answered",)),
        (
            {},
            None,
            picture(512, 512),
            Answer(observed={"size": "1024x1024"}),
            ("the host says 1024x1024, the bytes are 512x512",),
        ),
    ],
)
def test_what_came_is_held_against_what_was_asked(settings, size, came, answer, said):
    sample = Sample(suite="s", task="t2i", prompts={"en": "x"}, size=size)
    assert differences(endpoint(**settings), sample, [came], answer) == said
