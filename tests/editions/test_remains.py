"""What stays when words are taken back holds none of them."""

from __future__ import annotations

from groundswell.editions.remains import numbers, quotation_of, unquoting

SECRET = "Marmalade lighthouse"


def test_a_sentence_quotes_by_sixteen_characters_in_a_row() -> None:
    quotes = quotation_of(["A glass teapot, on an oak table", "猫坐在红色的沙发上看书", "ship"])
    assert quotes('refused: "glass TEAPOT on an oak"')
    assert not quotes("a glass of tea on a table")
    assert quotes("提示词是:红色的沙发上看书")
    assert quotes("no ship here")


def test_counts_by_reasons_that_quote_are_counted_as_withdrawn() -> None:
    quotes = quotation_of([SECRET])
    value = {"silent": {f"no {SECRET} there": 2, f"a {SECRET}": 1, "no face": 4}, "why": SECRET, "n": [1, "x"]}
    assert unquoting(value, quotes) == {"silent": {"withdrawn": 3, "no face": 4}, "why": "withdrawn", "n": [1, "x"]}


def test_numbers_of_a_value_are_what_is_not_text() -> None:
    assert numbers({"read": ["a", "b"], "boxes": [[1, 2], "c"], "word": "d", "rate": 0.5}) == {
        "read": [], "boxes": [[1, 2]], "rate": 0.5,
    }  # fmt: skip
