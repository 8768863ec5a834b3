import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundswell.providers.shapes import nearest_ratio, nearest_size, size_of
from groundswell.providers.writing import Encoded, FilePart, form_body, json_body
from groundswell.records import Picture, Splice

CAT = Picture(digest="cat", media_type="image/png", width=1, height=1)


@given(st.text(), st.text())
def test_no_text_can_imitate_the_place_of_a_picture(before, after):
    body = json_body({"a": before, "image": Encoded(CAT, "data:,"), "b": [after]})
    assert [type(piece) for piece in body] == [bytes, Splice, bytes]
    written = body[0] + b"bytes" + body[2]
    assert msgspec.json.decode(written) == {"a": before, "image": "data:,bytes", "b": [after]}


@given(st.dictionaries(st.text(min_size=1), st.text() | st.integers() | st.booleans()))
def test_a_boundary_stands_in_no_field(fields):
    kind, body = form_body(fields, [FilePart("image", CAT, "a.png")])
    boundary = kind.partition("boundary=")[2].encode()
    head = body[0]
    assert head.count(b"--" + boundary) == len(fields) + 1


def test_what_cannot_stand_in_a_request_is_an_error():
    with pytest.raises(TypeError):
        json_body({"a": object()})


def test_a_list_is_a_field_for_each_value():
    _, body = form_body({"tag": ["a", "b"], "n": 1, "on": True})
    text = b"".join(piece for piece in body if isinstance(piece, bytes)).decode()
    assert text.count('name="tag"') == 2
    assert "\r\n\r\ntrue\r\n" in text


@pytest.mark.parametrize(
    ("text", "size"), [("1024x768", (1024, 768)), ("1024*768", (1024, 768)), ("auto", None), (1, None)]
)
def test_sizes_are_read_from_text(text, size):
    assert size_of(text) == size


def test_proportions_are_compared_as_ratios_and_not_as_differences():
    assert nearest_ratio((1000, 400), ("1:1", "21:9", "16:9")) == "21:9"
    assert nearest_size((100, 100), [(512, 512), (256, 256), (1024, 512)]) == (256, 256)
