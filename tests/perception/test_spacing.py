import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from groundswell.perception.spacing import spaced


def line(text, size=26):
    """A picture of a line of text."""
    font = ImageFont.load_default(size)
    whole = Image.new("RGB", (round(font.getlength(text)) + 20, size + 16), "white")
    ImageDraw.Draw(whole).text((10, 6), text, fill="black", font=font)
    return np.asarray(whole)


@pytest.mark.parametrize(
    "text", ["a mill in the fog, low sun", "Remove the lamp post", "twelve figs (dried) on a plate"]
)
def test_spaces_that_were_dropped_are_put_back_where_the_picture_has_gaps(text):
    assert spaced(text.replace(" ", ""), line(text)) == text


def test_spaces_that_were_read_stay_and_others_come_beside_them():
    assert spaced("Removethe lamppost", line("Remove the lamp post")) == "Remove the lamp post"


@pytest.mark.parametrize("text", ["一只猫坐在木桌上", "ab", ""])
def test_scripts_without_spaces_and_single_letters_stay_as_they_were(text):
    assert spaced(text, line("one two three")) == text


def test_letters_that_do_not_fit_the_words_stay_as_they_were():
    assert spaced("abc", line("a considerably longer line")) == "abc"


@given(st.text(max_size=30))
def test_no_letter_is_ever_lost_or_moved(text):
    found = spaced(text, line("some words that stand here"))
    assert "".join(found.split()) == "".join(text.split())
