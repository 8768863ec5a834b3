"""Checks measured on small pictures whose scores can be worked out by hand."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundswell import pictures
from groundswell.judge import checks
from groundswell.judge.checks import in_range
from groundswell.judge.likeness import likeness, recolouring, structure
from groundswell.records import Check, Judgment, Output, Picture, Refusal, Sample, Unread, Verdict, Winner

RNG = np.random.default_rng(7)
PHOTO = np.kron(RNG.integers(0, 256, (12, 16, 3)), np.ones((8, 8, 1))).astype(np.uint8)
"""96 x 128: twelve by sixteen coloured tiles."""

WHITE = np.full_like(PHOTO, 255)
NOISE = RNG.integers(0, 256, PHOTO.shape, np.uint8)
GRAY = np.repeat(np.rint(PHOTO @ np.array([0.299, 0.587, 0.114], np.float32)).astype(np.uint8)[..., None], 3, axis=2)


def scored(name: str, output: np.ndarray, source: np.ndarray = PHOTO, **args: object) -> dict[str, object]:
    return checks.measure(
        Check(name=name, args=args), [pictures.encode_png(source)], [pictures.encode_png(np.ascontiguousarray(output))]
    )


def score(name: str, output: np.ndarray, source: np.ndarray = PHOTO, **args: object) -> float:
    found = scored(name, output, source, **args)
    assert "score" in found, found
    return float(str(found["score"]))


PERFECT = {
    "gray": (GRAY, {}),
    "mirrored": (PHOTO[:, ::-1], {"axis": "horizontal"}),
    "rotated": (np.rot90(PHOTO, -1), {"degrees": 90}),
    "inverted": (255 - PHOTO, {}),
    "size": (PHOTO, {}),
    "cropped": (PHOTO[8:40, 16:80], {"box": [16, 8, 80, 40]}),
    "resized": (pictures.scaled(PHOTO, 64, 48), {"width": 64, "height": 48}),
    "unchanged_outside": (PHOTO, {"box": [0, 0, 8, 8]}),
    "brightness": (np.clip(PHOTO.astype(int) // 2 + 100, 0, 255).astype(np.uint8), {"low": 10, "high": 90}),
    "contrast": ((PHOTO // 2 + 64), {"low": 0.4, "high": 0.6}),
}


@pytest.mark.parametrize("name", PERFECT)
def test_what_was_asked_for_scores_one(name: str) -> None:
    output, args = PERFECT[name]
    assert score(name, output, **args) == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("name", sorted(PERFECT.keys() - {"size", "unchanged_outside"}))
@pytest.mark.parametrize("useless", [WHITE, NOISE, PHOTO], ids=["blank", "noise", "copy-input"])
def test_a_useless_output_scores_next_to_nothing(name: str, useless: np.ndarray) -> None:
    assert score(name, useless, **PERFECT[name][1]) < 0.15


def test_a_white_page_is_gray_but_not_the_photograph_in_gray() -> None:
    found = scored("gray", WHITE)
    assert found["chroma"] == 0
    assert found["score"] == 0


def test_an_input_that_is_gray_already_cannot_show_a_change_to_gray() -> None:
    assert scored("gray", GRAY, GRAY) == {"check": "gray", "why": "the input is gray already"}


def test_the_wrong_axis_and_the_wrong_direction_score_zero() -> None:
    assert score("mirrored", PHOTO[::-1], axis="horizontal") == 0
    assert score("rotated", np.rot90(PHOTO, 1), degrees=90) == 0


def test_a_symmetric_input_cannot_show_a_mirroring() -> None:
    symmetric = np.concatenate([PHOTO, PHOTO[:, ::-1]], axis=1)
    assert "looks the same" in str(scored("mirrored", symmetric, symmetric, axis="horizontal")["why"])


def test_a_size_that_is_five_percent_off_scores_one_half() -> None:
    assert score("size", np.zeros((100, 190, 3), np.uint8), width=200, height=100) == pytest.approx(0.5)


def test_a_palette_counts_the_commonest_colours() -> None:
    tiles = np.zeros((10, 10, 3), np.uint8)
    tiles[:, 5:] = 255
    tiles[0, :2] = (255, 0, 0)
    source = tiles.copy()
    assert score("palette", tiles, source, colours=3) == 1
    assert score("palette", tiles, source, colours=2) == pytest.approx(0.98)


def test_blur_and_sharpening_are_told_by_their_direction() -> None:
    soft = pictures.scaled(pictures.scaled(PHOTO, 64, 48), 128, 96)
    assert score("detail", soft, low=0.05, high=0.8) > 0.9
    assert score("detail", PHOTO, soft, low=0.05, high=0.8) == 0
    assert score("detail", PHOTO, soft, low=1.1, high=20) > 0.9
    assert score("detail", soft, low=1.1, high=20) == 0


def test_pixels_outside_the_box_are_counted_one_by_one() -> None:
    changed = PHOTO.copy()
    changed[:10, :10] ^= 128
    assert score("unchanged_outside", changed, box=[0, 0, 10, 10]) == 1
    outside = 96 * 128 - 25
    assert score("unchanged_outside", changed, box=[0, 0, 5, 5]) == pytest.approx(1 - 75 / outside, abs=1e-4)
    assert score("unchanged_outside", PHOTO[:50], box=[0, 0, 5, 5]) == 0


def test_rounding_by_two_levels_is_no_change() -> None:
    flat = np.full((20, 20, 3), 100, np.uint8)
    assert score("unchanged_outside", flat + 2, flat, box=[0, 0, 2, 2]) == 1
    assert score("unchanged_outside", flat + 3, flat, box=[0, 0, 2, 2]) == 0


def test_a_mask_input_says_where_a_change_is_allowed() -> None:
    mask = np.zeros_like(PHOTO)
    mask[:10] = 255
    changed = PHOTO.copy()
    changed[:10] ^= 128
    check = Check(name="unchanged_outside", args={"mask": 1})
    found = checks.measure(check, [pictures.encode_png(p) for p in (PHOTO, mask)], [pictures.encode_png(changed)])
    assert found["score"] == 1


def test_a_box_in_the_wanted_colour_scores_by_its_distance() -> None:
    half = np.full((20, 20, 3), 100, np.uint8)
    painted = half.copy()
    painted[5:15, 5:15] = 50
    assert score("filled", painted, half, box=[5, 5, 15, 15], colour=[0, 0, 0]) == pytest.approx(0.5)


def test_a_removed_thing_is_gone_and_its_place_looks_like_the_surroundings() -> None:
    source = np.full((60, 60, 3), 120, np.uint8)
    source[25:35, 25:35] = PHOTO[:10, :10]
    clean = np.full_like(source, 120)
    covered = clean.copy()
    covered[20:40, 20:40] = 255
    assert score("removed", clean, source, box=[20, 20, 40, 40]) == 1
    assert score("removed", source, source, box=[20, 20, 40, 40]) == 0
    assert score("removed", covered, source, box=[20, 20, 40, 40]) == 0


def test_edits_asked_for_beside_are_not_held_against_the_output() -> None:
    both = GRAY[:, ::-1]
    assert score("mirrored", both, axis="horizontal", after=["gray"]) == 1
    assert score("gray", both, after=["mirrored horizontal"]) == 1
    assert score("mirrored", both, axis="horizontal") < 0.9


def test_recolouring_forgives_tone_and_not_compression_or_dark_corners() -> None:
    curve = np.rint(255 * (PHOTO / 255) ** 0.7).astype(np.uint8)
    squeezed = pictures.pixels(pictures.encode_jpeg(curve, quality=10))
    assert recolouring(curve, PHOTO) > 0.99
    assert recolouring(squeezed, PHOTO) < 0.9
    assert recolouring(NOISE, PHOTO) < 0.1
    assert recolouring(WHITE, PHOTO) == 0


def test_likeness_is_how_much_nearer_than_a_flat_picture() -> None:
    flat = np.full_like(PHOTO, PHOTO.mean(axis=(0, 1)).round())
    assert likeness(PHOTO, PHOTO) == 1
    assert likeness(flat, PHOTO) == pytest.approx(0, abs=0.01)
    assert likeness(((PHOTO.astype(int) + flat) // 2).astype(np.uint8), PHOTO) == pytest.approx(0.5, abs=0.01)


def test_structure_forgives_brightness_and_is_nothing_for_a_negative_or_a_flat_picture() -> None:
    assert structure(PHOTO // 2 + 40, PHOTO) > 0.99
    assert structure(255 - PHOTO, PHOTO) == 0
    assert structure(WHITE, PHOTO) == 0


@pytest.mark.parametrize(
    ("value", "expected"), [(0, 0), (5, 0.5), (10, 1), (20, 1), (30, 0.5), (40, 0), (100, 0), (-10, 0)]
)
def test_a_change_below_or_above_its_range_loses_in_proportion(value: float, expected: float) -> None:
    assert in_range(value, 10, 20) == pytest.approx(expected)
    assert in_range(-value, -20, -10) == pytest.approx(expected)


@given(st.floats(-1e6, 1e6), st.floats(0.1, 100), st.floats(0, 100))
def test_a_range_score_lies_between_zero_and_one(value: float, low: float, width: float) -> None:
    assert 0 <= in_range(value, low, low + width) <= 1


def test_a_range_around_zero_asks_for_nothing() -> None:
    with pytest.raises(ValueError, match="one side of 0"):
        in_range(1, -5, 5)


@pytest.mark.parametrize(
    ("name", "args", "why"),
    [
        ("juggling", {}, "no rule measures"),
        ("mirrored", {}, "does not say 'axis'"),
        ("mirrored", {"axis": "diagonal"}, "horizontal or vertical"),
        ("rotated", {"degrees": 45}, "quarter turns"),
        ("cropped", {"box": [0, 0, 999, 9]}, "not inside"),
        ("cropped", {"box": None}, "malformed"),
        ("resized", {"width": 0, "height": 9}, "positive"),
        ("palette", {"colours": 0}, "positive"),
        ("removed", {"box": [0, 0, 128, 96]}, "surroundings"),
        ("unchanged_outside", {"box": [0, 0, 128, 96]}, "nothing lies outside"),
        ("unchanged_outside", {"box": [-5, 0, 9, 9]}, "not inside"),
        ("detail", {"box": [0, 0, 2, 2], "low": 2, "high": 3}, "too small"),
        ("gray", {"input": 3}, "an input that the sample does not have"),
        ("gray", {"after": ["a hat"]}, "`after` knows"),
    ],
)
def test_a_check_that_cannot_be_measured_says_why(name: str, args: dict[str, object], why: str) -> None:
    found = scored(name, PHOTO, **args)
    assert "score" not in found
    assert why in str(found["why"])


def test_without_inputs_only_what_needs_none_is_measured() -> None:
    data = [pictures.encode_png(GRAY)]
    assert checks.measure(Check(name="gray"), [], data)["score"] == 1
    assert checks.measure(Check(name="size", args={"width": 128, "height": 96}), [], data)["score"] == 1
    assert checks.measure(Check(name="inverted"), [], data)["why"] == "the sample has no input to compare with"


# --- the judge ----------------------------------------------------------------------------------------------------


class Bench:
    """Pictures in a dictionary, and a sample of one input with checks."""

    def __init__(self, *declared: Check) -> None:
        self.blobs: dict[str, bytes] = {}
        self.sample = Sample(
            suite="t", task="edit", prompts={"en": "gray"}, inputs=(self.keep(PHOTO),), checks=declared
        )
        self.judge = checks.ChecksJudge(self.blobs.__getitem__)

    def keep(self, drawn: np.ndarray) -> Picture:
        data = pictures.encode_png(np.ascontiguousarray(drawn))
        picture = pictures.describe(data)
        self.blobs[picture.digest] = data
        return picture

    def grade(self, *drawn: np.ndarray) -> Verdict:
        output = Output(job="j", sample=self.sample.key, endpoint="e", pictures=tuple(map(self.keep, drawn)))
        return asyncio.run(self.judge.judge(self.sample, [output]))


def test_a_grade_is_one_plus_nine_times_the_mean_score() -> None:
    bench = Bench(Check(name="gray"), Check(name="count", args={"wanted": 1}))
    perfect, counted = bench.grade(GRAY), bench.grade(WHITE)
    assert isinstance(perfect, Judgment)
    assert perfect.scores == {"grade": 10.0}
    assert isinstance(counted, Judgment)
    assert counted.scores == {"grade": 5.5}
    assert [row["score"] for row in json.loads(counted.reply or "")] == [0, 1]
    assert (counted.judge, counted.rubric) == ("checks", checks.rubric().key)


def test_two_pictures_where_one_was_wanted_fail_the_count() -> None:
    verdict = Bench(Check(name="count")).grade(GRAY, GRAY)
    assert isinstance(verdict, Judgment)
    assert verdict.scores == {"grade": 1.0}


def test_one_unmeasurable_check_leaves_no_grade_but_what_was_measured() -> None:
    verdict = Bench(Check(name="gray"), Check(name="juggling")).grade(GRAY)
    assert isinstance(verdict, Unread)
    assert verdict.why == "not measurable"
    assert verdict.partial == {"gray": 1.0}
    assert "juggling" in (verdict.reply or "")


def test_a_sample_without_checks_is_not_measurable() -> None:
    verdict = Bench().grade(GRAY)
    assert isinstance(verdict, Unread)
    assert verdict.why == "not measurable"


def test_the_judge_takes_one_output_and_no_refusal() -> None:
    bench = Bench(Check(name="gray"))
    refusal = Refusal(job="j", sample=bench.sample.key, endpoint="e", reason="no")
    for outputs in ([], [refusal]):
        with pytest.raises(ValueError, match="one output at a time"):
            asyncio.run(bench.judge.judge(bench.sample, outputs))


def judgment(grade: float) -> Judgment:
    return Judgment(outputs=("o",), judge="checks", rubric="r", sample="s", scores={"grade": grade})


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [(7.0, 7.0, Winner.TIE), (7.2, 7.0, Winner.TIE), (7.3, 7.0, Winner.LEFT), (1.0, 1.3, Winner.RIGHT)],
)
def test_the_higher_grade_wins_beyond_the_margin(left: float, right: float, expected: Winner) -> None:
    assert checks.winner(judgment(left), judgment(right)) is expected


def test_without_a_grade_on_both_sides_nobody_wins() -> None:
    unread = Unread(outputs=("o",), judge="checks", rubric="r", sample="s", why="not measurable")
    assert checks.winner(judgment(9), unread) is None
    assert checks.winner(unread, judgment(9)) is None


def test_every_rule_is_named_in_the_rubric() -> None:
    assert set(checks.rubric().rules["checks"]) == {*checks.RULES, "count"}
