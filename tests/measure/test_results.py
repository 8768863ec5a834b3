"""What measurements say of models: means over samples, coverage, worst and best, never a number for silence."""

from __future__ import annotations

import numpy as np
import pytest

from groundswell.measure.color import Color, measure_pair
from groundswell.measure.face import FaceIdentity
from groundswell.measure.intervals import bootstrap, mean_interval
from groundswell.measure.results import results
from groundswell.records import Measurement, NotApplicable

ABOUTS = {"color": Color.about, "face": FaceIdentity.about}
COMMON = {"metric": "face", "version": 1, "backend": "sface"}


def face(output, sample, value):
    return Measurement(output=output, sample=sample, value=value, **COMMON)


def test_samples_weigh_equally_and_silence_is_counted_by_reason():
    measured = [
        face("a1", "A", 0.2),
        face("a2", "A", 0.4),
        face("b1", "B", 0.9),
        NotApplicable(output="c1", sample="C", why="no face in the output", **COMMON),
    ]
    (result,) = results(measured, dict.fromkeys(["a1", "a2", "b1", "c1"], "model"), ABOUTS)
    assert result.mean == pytest.approx(0.6)
    assert (result.scored, result.wanted, result.silent) == (2, 3, {"no face in the output": 1})
    assert (result.worst, result.best) == (("a1",), ("b1",))


def test_outputs_that_are_all_equal_have_no_worst_and_no_best():
    (result,) = results([face(key, key, 0.5) for key in "abcd"], dict.fromkeys("abcd", "model"), ABOUTS)
    assert (result.worst, result.best) == ((), ())


def test_a_model_with_nothing_measured_has_no_mean():
    silent = [NotApplicable(output="c1", sample="C", why="no face in the output", **COMMON)]
    (result,) = results(silent, {"c1": "model"}, ABOUTS)
    assert (result.mean, result.interval.low, result.scored, result.wanted) == (None, None, 0, 1)


def test_two_backends_never_share_a_column():
    other = Measurement(output="a1", sample="A", metric="face", version=1, backend="auraface", value=0.5)
    found = results([face("a1", "A", 0.2), other], {"a1": "model"}, ABOUTS)
    assert [(each.backend, each.mean) for each in found] == [("auraface", 0.5), ("sface", 0.2)]


def test_for_colour_the_set_level_stands_beside_the_mean(encode):
    measured = []
    for n, level in enumerate((110, 130)):
        before, after = np.full((2, 2, 3), 100, np.uint8), np.full((2, 2, 3), 100, np.uint8)
        after[..., 0] = level
        seen = Color().measure(_sample(), f"o{n}", [encode(before)], encode(after))
        measured.append(Measurement(**{**_fields(seen), "sample": f"s{n}"}))
        assert measure_pair(before, after).magnitude == level - 100
    (result,) = results(measured, {"o0": "model", "o1": "model"}, ABOUTS)
    assert (result.mean, result.set_level["magnitude"]) == (20.0, 20.0)
    assert sum(result.set_level["histograms"]["output"][0]) == 8
    assert (result.worst, result.best) == (("o1",), ("o0",))


def _sample():
    from groundswell.records import Sample

    return Sample(suite="s", task="edit", prompts={"en": "x"})


def _fields(measurement):
    return {name: getattr(measurement, name) for name in measurement.__struct_fields__}


def test_the_interval_of_a_mean_is_that_of_the_normal_for_many_samples():
    values = np.random.default_rng(1).normal(5, 2, 400)
    interval = mean_interval(values.tolist())
    half = 1.96 * values.std() / 20
    assert interval.low == pytest.approx(values.mean() - half, abs=0.03)
    assert interval.high == pytest.approx(values.mean() + half, abs=0.03)


def test_draws_without_a_value_forbid_an_interval():
    interval = bootstrap(5, lambda weights: np.where(weights[:, 0] > 0, 1.0, np.nan))
    assert interval.low is None
    assert "draws have no value" in interval.why
