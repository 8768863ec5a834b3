"""Text by OCR: what was wanted, and what can be read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from groundswell.measure.checks import TextPresent
from groundswell.measure.metric import Inapplicable
from groundswell.measure.text import TextByOcr, characters, edits, errors, quoted, wanted_text, words
from groundswell.records import Check, Measurement, Sample


@pytest.mark.parametrize(
    ("prompt", "texts"),
    [
        ('a sign that says "OPEN 24 HOURS"', ["OPEN 24 HOURS"]),
        ("a poster with “Hello” above and “World” below", ["Hello", "World"]),
        ("写着「欢迎光临」的招牌", ["欢迎光临"]),
        ("a mug that reads 'good morning'", ["good morning"]),
        ("don't change the dog's collar, it's fine", []),
        ("no text", []),
    ],
)
def test_wanted_text_stands_in_quotes(prompt, texts):
    assert quoted(prompt) == texts


def test_a_check_names_the_wanted_text_before_the_prompt_does():
    sample = Sample(
        suite="s", task="t2i", prompts={"en": 'write "A"'}, checks=(Check(name="text", args={"text": ["B", "C"]}),)
    )
    assert wanted_text(sample) == ["B", "C"]


def slow_edits(wanted, read):
    """The textbook recursion, row by row."""
    row = list(range(len(read) + 1))
    for i, token in enumerate(wanted, 1):
        above, row = row, [i]
        for j, other in enumerate(read, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (token != other)))
    return row[-1]


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_edits_are_those_of_the_textbook(wanted, read):
    assert edits(wanted, read) == slow_edits(wanted, read)


@given(st.text("abc", max_size=5), st.text("abc", max_size=8))
def test_edits_anywhere_are_those_of_the_best_part(wanted, read):
    parts = [read[start:end] for start in range(len(read) + 1) for end in range(start, len(read) + 1)]
    assert edits(wanted, read, anywhere=True) == min(slow_edits(wanted, part) for part in parts)


def test_one_wrong_letter_of_ten_is_a_rate_of_a_tenth():
    rates = errors(["HELLO WORLD"], ["HELLO", "WORID"])
    assert rates.cer == rates.cer_order_free == 0.1
    assert rates.wer == 0.5


def test_other_text_in_the_picture_costs_nothing_when_order_is_free():
    rates = errors(["OPEN"], ["Main Street", "OPEN", "24 h"])
    assert rates.cer_order_free == rates.wer_order_free == 0
    assert rates.cer == 13 / 4


def test_nothing_read_is_a_rate_of_1():
    assert errors(["OPEN"], []).cer == errors(["OPEN"], []).cer_order_free == 1


def test_spaces_cases_and_wide_forms_are_no_errors():
    assert errors(["Sale 50%"], ["SALE５０％"]).cer == 0


def test_a_chinese_character_is_a_word():
    assert words("欢迎 to 北京") == ["欢", "迎", "to", "北", "京"]
    assert characters("ＡＢ　ｃ") == ["a", "b", "c"]


def test_wanted_text_without_letters_cannot_be_measured():
    with pytest.raises(Inapplicable):
        errors([" "], ["x"])


@pytest.fixture(scope="module")
def sign():
    pytest.importorskip("rapidocr_onnxruntime", reason="pip install 'groundswell[metrics]'")

    def drawn(text, on=None):
        image = Image.new("RGB", (700, 200), "white") if on is None else Image.fromarray(on)
        ImageDraw.Draw(image).multiline_text(
            (30, 40), text, font=ImageFont.load_default(48), fill="black", stroke_width=0 if on is None else 2
        )
        return image

    return drawn


def wanting(text):
    return Sample(suite="s", task="t2i", prompts={"en": f'a sign that says "{text}"'})


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_text_is_read_at_every_quarter_turn(sign, encode, turn):
    picture = encode(sign("The quick brown fox\njumps over it").rotate(turn, expand=True))
    measured = TextByOcr().measure(wanting("The quick brown fox"), "key", [], picture)
    assert isinstance(measured, Measurement)
    assert measured.value <= 1 / 16


def test_text_is_read_on_a_photograph(sign, encode, photographs):
    picture = encode(sign("GRAND OPENING", on=np.repeat(np.repeat(photographs[4], 3, axis=0), 3, axis=1)))
    assert TextByOcr().measure(wanting("GRAND OPENING"), "key", [], picture).value == 0


def test_a_misspelt_sign_is_measured_by_its_letters(sign, encode):
    measured = TextByOcr().measure(wanting("GRAND OPENING"), "key", [], encode(sign("GRAND OPENNG")))
    assert measured.value == pytest.approx(1 / 12)


def test_the_check_gives_the_share_of_right_characters(sign, encode):
    check = Check(name="text", args={"text": "GRAND OPENING"})
    assert TextPresent().measure(check, [], encode(sign("GRAND OPENNG")))["score"] == pytest.approx(11 / 12)
    with pytest.raises(ValueError, match="cannot be read"):
        TextPresent().measure(check, [], b"nothing")


def test_a_prompt_without_quotes_is_not_applicable():
    assert "wanted text is not known" in TextByOcr().applies(Sample(suite="s", task="t2i", prompts={"en": "a cat"}))
