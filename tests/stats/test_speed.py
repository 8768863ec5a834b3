from datetime import date

import pytest

from groundswell.records import Endpoint, Price
from groundswell.stats.prices import per_thousand
from groundswell.stats.speed import board, why_not
from groundswell.stats.timings import Window

TODAY = date(2026, 11, 29)


def endpoint(name, **fields):
    return Endpoint(**{"name": name, "host": "openai", "model": name, "tasks": ("t2i",)} | fields)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, None),
        ({"modified": True}, None),
        ({"public_from": "2026-11-29"}, None),
        ({"service": "dedicated"}, "dedicated capacity"),
        ({"service": "demo"}, "a demo page"),
        ({"service": "local"}, "it runs on the machine"),
        ({"host": "chain"}, "two models in a row"),
        ({"tasks": ("edit",)}, "it does not make pictures from text alone"),
        ({"public_from": "2027-01-01"}, "it is announced for 2027-01-01"),
    ],
)
def test_only_public_serverless_endpoints_stand_on_the_board_and_others_say_why(fields, reason):
    found = why_not(endpoint("e", **fields), TODAY)
    assert found == reason if reason is None else reason in found


def test_the_board_is_by_median_and_what_was_not_measured_is_listed_with_its_reason():
    several = [endpoint("slow"), endpoint("quick", modified=True), endpoint("new"), endpoint("broken")]
    windows = {
        several[0].key: Window(endpoint="slow", median=9.0, n=3),
        several[1].key: Window(endpoint="quick", median=2.0, n=3),
        several[3].key: Window(endpoint="broken", failures=5, failure_rate=1.0),
    }
    made = board(several, windows, {several[0].key: 40.0}, TODAY)
    assert [(row["endpoint"], row["label"], row["usd_per_1000"]) for row in made["ranked"]] == [
        ("quick", "modified", None),
        ("slow", "standard", 40.0),
    ]
    assert {row["endpoint"]: row["why"] for row in made["listed"]} == {
        "new": "not measured yet",
        "broken": "all 5 measurements of 14 days failed",
    }


@pytest.mark.parametrize(
    ("price", "settings", "usd"),
    [
        (None, {}, None),
        (Price(per_image=0.04), {}, 40.0),
        (Price(per_image=0.04, by_size={"1024x1024 high": 0.167}), {"size": "1024x1024", "quality": "high"}, 167.0),
        (Price(per_image=0.04, by_size={"high": 0.167}), {"quality": "low"}, 40.0),
        (Price(tokens_in=0.3, tokens_out=30.0, tokens_per_image=1290), {}, 38.7),
        (Price(tokens_in=0.3, tokens_out=30.0), {}, None),
        (Price(per_call=0.02), {}, 20.0),
    ],
)
def test_the_price_of_a_thousand_pictures_is_the_stated_one_or_none(price, settings, usd):
    assert per_thousand(endpoint("e", price=price, settings=settings)) == usd
