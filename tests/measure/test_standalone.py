"""The command `metric`: bad material gives null with the reason, and the rest goes on."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from PIL import Image

from groundswell import measure
from groundswell.errors import UserError
from groundswell.perception import faces


@pytest.fixture
def folder(tmp_path, encode, astronaut):
    plain = np.full((8, 8, 3), 100, np.uint8)
    frames = [Image.new("RGB", (8, 8), (100 + 3 * n, 100 + 4 * n, 100)) for n in (1, 30)]
    files = {
        "input.png": encode(plain),
        "shifted.png": encode(plain + np.array([3, 4, 0], np.uint8)),
        "same.png": encode(plain),
        "one.png": encode(plain[:1, :1]),
        "inks.jpg": encode(Image.new("CMYK", (8, 8), (100, 90, 80, 10)), "JPEG"),
        "animated.gif": encode(frames[0], "GIF", save_all=True, append_images=frames[1:]),
        "cut.png": encode(astronaut)[:5000],
        "text.png": b"this is no picture",
        "white.png": encode(np.full((8, 8, 3), 255, np.uint8)),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_pairs_come_in_order_with_the_set_level_beside_them(folder):
    rows = [{"input": "input.png", "output": "shifted.png"}, {"input": ["input.png"], "output": "same.png"}]
    result = measure.pairs("color", rows, beside=folder)
    assert [pair["value"] for pair in result["pairs"]] == [5.0, 0.0]
    assert result["set"]["value"] == 2.5
    assert result["set"]["input_mean"] == [100, 100, 100]
    assert (result["set"]["scored"], result["set"]["wanted"], result["set"]["backend"]) == (2, 2, "histogram")
    json.dumps(result)


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("cut.png", "the output cannot be read: "),
        ("text.png", "the output cannot be read: this is not a picture"),
        ("absent.png", "the output cannot be read: absent.png (No such file or directory)"),
        ("white.png", "the output has no pixel with red or green or blue between 5 and 250"),
    ],
)
def test_bad_material_is_null_with_the_reason_and_the_rest_goes_on(folder, output, why):
    rows = [{"input": "input.png", "output": name} for name in (output, "shifted.png")]
    bad, good = measure.pairs("color", rows, beside=folder)["pairs"]
    assert bad["value"] is None
    assert bad["why"].startswith(why)
    assert good["value"] == 5.0


@pytest.mark.parametrize("output", ["one.png", "inks.jpg", "animated.gif"])
def test_rare_pictures_are_measured(folder, output):
    assert measure.pair("color", folder / "input.png", folder / output)["value"] is not None


def test_of_an_animation_the_first_frame_counts(folder):
    assert measure.pair("color", folder / "input.png", folder / "animated.gif")["value"] == pytest.approx(5, abs=1)


def test_an_unreadable_input_is_named_by_its_number(folder):
    pair = measure.pair("color", [folder / "input.png", folder / "text.png"], folder / "same.png")
    assert pair["why"].startswith("the input 2 cannot be read")


def test_a_pair_without_input_is_null(folder):
    assert measure.pair("structure", None, folder / "same.png") == {
        "value": None,
        "why": "there is no input picture",
        "backend": "effnet-lite0",
    }


def test_text_without_wanted_is_null(folder):
    assert measure.pair("text", None, folder / "same.png")["why"] == "the wanted text is not known"


def test_no_pairs_make_an_empty_set(folder):
    result = measure.pairs("color", [])
    assert result["pairs"] == []
    assert result["set"]["value"] is None


def test_what_is_not_installed_is_null_with_the_command_that_installs_it(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "cv2", None)
    monkeypatch.setattr(faces, "_detector", faces.Once(faces._YuNet))
    pair = measure.pair("face", folder / "input.png", folder / "same.png")
    assert pair["value"] is None
    assert pair["why"] == "opencv-python-headless is not installed: pip install 'groundswell[metrics]'"


@pytest.mark.parametrize(
    ("metric", "backend", "message"),
    [
        ("colour", None, "there is no metric 'colour'; known: color, face, structure, text"),
        ("structure", "clip", "known: effnet-lite0, dino-vits16:PLACE#SHA256"),
        ("color", "gpu", "known: histogram"),
    ],
)
def test_an_unknown_name_is_an_error_that_names_the_known(metric, backend, message):
    with pytest.raises(UserError, match=message):
        measure.pairs(metric, [], backend)


def test_a_row_without_output_is_an_error_that_names_the_line(folder):
    with pytest.raises(UserError, match="`output`"):
        measure.pairs("color", [{"input": "a.png"}])


def test_a_backend_from_weights_keeps_its_own_name(folder):
    pair = measure.pair("structure", folder / "input.png", folder / "same.png", backend="dino-vits16")
    assert (pair["value"], pair["backend"]) == (None, "dino-vits16")
