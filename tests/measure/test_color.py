"""Colour shift: exact arithmetic, in any order, on any pictures."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from groundswell.measure.color import Color, Histogram, Pair, measure_pair, pair_of, pooled, set_interval, shift
from groundswell.measure.metric import Inapplicable
from groundswell.records import Sample

pictures = arrays(np.uint8, st.tuples(st.integers(1, 6), st.integers(1, 6), st.just(3)))


def plain(red, green, blue, height=4, width=4):
    return np.full((height, width, 3), (red, green, blue), dtype=np.uint8)


def test_the_published_means_give_the_published_magnitude():
    magnitude = shift((130.1965, 122.1516, 113.1025), (121.3148, 107.7903, 91.0820))
    assert magnitude == pytest.approx(27.749, abs=0.001)


def test_a_plain_picture_shifts_by_the_distance_of_its_colours():
    assert measure_pair(plain(10, 20, 30), plain(13, 24, 30)).magnitude == 5.0


def test_sizes_do_not_matter():
    small, large = plain(100, 50, 60, 2, 3), plain(100, 50, 72, 300, 100)
    assert measure_pair(small, large).magnitude == 12.0


@pytest.mark.parametrize(("level", "counts"), [(4, False), (5, True), (250, True), (251, False)])
def test_levels_5_to_250_count_and_no_others(level, counts):
    picture = np.concatenate([plain(100, 100, 100), plain(level, level, level)])
    mean = Histogram.of(picture).means("input")[0]
    assert mean == ((100 + level) / 2 if counts else 100)


def test_a_white_picture_has_no_mean_and_says_which_side_it_is():
    with pytest.raises(Inapplicable, match="the output has no pixel with red or green or blue between 5 and 250"):
        _ = measure_pair(plain(9, 9, 9), plain(255, 255, 255)).magnitude


@given(st.lists(st.tuples(pictures, pictures), min_size=1, max_size=5), st.randoms())
@settings(max_examples=40, deadline=None)
def test_histograms_merge_to_the_same_sum_in_any_order_and_grouping(pairs, random):
    each = [measure_pair(before, after) for before, after in pairs]
    shuffled = random.sample(each, len(each))
    cut = random.randrange(len(each) + 1)
    assert pooled([pooled(shuffled[:cut]), pooled(shuffled[cut:])]) == reduce(Pair.__add__, each) == pooled(each)


@given(pictures)
@settings(deadline=None)
def test_a_histogram_counts_what_numpy_counts(picture):
    expected = [np.bincount(picture[..., channel].ravel(), minlength=256) for channel in range(3)]
    assert Histogram.of(picture) == Histogram(np.array(expected))


@given(pictures, pictures)
@settings(deadline=None)
def test_swapping_input_and_output_keeps_the_magnitude(before, after):
    try:
        there = measure_pair(before, after).magnitude
    except Inapplicable:
        return
    assert measure_pair(after, before).magnitude == pytest.approx(there)


def test_the_set_level_weighs_by_pixels_where_the_mean_of_pairs_does_not():
    one = measure_pair(plain(100, 100, 100, 1, 1), plain(110, 100, 100, 1, 1))
    other = measure_pair(plain(100, 100, 100, 3, 1), plain(100, 100, 100, 3, 1))
    assert pooled([one, other]).magnitude == 2.5


def test_the_interval_of_the_set_level_holds_the_set_level_and_narrows_with_more_pairs():
    rng = np.random.default_rng(7)
    pairs = [measure_pair(plain(100, 100, 100), plain(*rng.integers(110, 150, 3))) for _ in range(40)]
    few, many = set_interval(pairs[:10]), set_interval(pairs)
    assert many.low < pooled(pairs).magnitude < many.high
    assert many.high - many.low < few.high - few.low


def test_one_pair_has_no_interval():
    assert set_interval([measure_pair(plain(9, 9, 9), plain(9, 9, 9))]).why == "fewer than two samples"


def test_the_metric_reads_the_first_input_only_and_keeps_its_histograms(encode):
    first, second, output = plain(100, 100, 100), plain(200, 200, 200), plain(103, 104, 100)
    sample = Sample(suite="s", task="edit", prompts={"en": "x"})
    measured = Color().measure(sample, "key", [encode(first), encode(second)], encode(output))
    assert measured.value == 5.0
    assert pair_of(measured.detail) == measure_pair(first, output)
