"""The arithmetic of CPI-Bench cases, with the worked numbers of METHODS section 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundswell.errors import UserError
from groundswell.suites import cpi

NAMES = ("knowledge", "visual_quality", "input_consistency")


def intelligent(*scores: float | None) -> dict[str, float | None]:
    return dict(zip(NAMES, scores, strict=True))


def case(index: int, scores: dict, **columns: object) -> dict:
    row = {"sample_index": index, "id": f"s{index}", "subset": "general", "task": "add", "lang": "en", "scores": scores}
    return row | columns


def write(path: Path, *rows: dict) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def group(result: dict, by: str, name: str) -> dict:
    (found,) = [one for one in result["groups"] if (one["by"], one["name"]) == (by, name)]
    return found


@pytest.mark.parametrize(
    ("scores", "final"),
    [((2, 5, 5), 2.19), ((2.1, 5, 5), 3.695), ((5, 5, 5), 5.0), ((1, 1, 1), 0.6)],
)
def test_an_intelligent_score_is_weighted_and_cut_where_knowledge_is_wrong(scores: tuple, final: float) -> None:
    assert cpi.case_score("intelligent", intelligent(*scores)) == final


def test_a_case_with_a_dimension_missing_has_no_score_and_compat_averages_what_came() -> None:
    scores = {"Instruction": 5.0, "Naturalness": None, "Detail": 4.0}
    assert cpi.case_score("general", scores) is None
    assert cpi.case_score("general", scores, compat=True) == 4.5
    assert cpi.case_score("general", dict.fromkeys(scores), compat=True) is None
    assert cpi.case_score("intelligent", intelligent(3, None, 5), compat=True) is None


def test_cases_come_in_the_order_of_the_file_and_absent_keys_count_as_missing(tmp_path: Path) -> None:
    path = write(
        tmp_path / "cases.jsonl",
        case(1, {"a": 5, "b": 4}),
        case(0, {"a": 3}),  # the task's other case shows that b is wanted
        case(2, {"c": 2}, task="text"),
    )
    cases = cpi.score_cases(path)["cases"]
    assert [(one["sample_index"], one["lang"], one["score"]) for one in cases] == [
        (1, "en", 4.5),
        (0, "en", None),
        (2, "en", 2.0),
    ]
    assert [one["score"] for one in cpi.score_cases(path, compat=True)["cases"]] == [4.5, 3.0, 2.0]


def test_groups_tell_coverage_and_the_bounds_of_what_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path / "cases.jsonl", case(0, {"a": 5, "b": 4}), case(1, {"a": 3, "b": None}))
    result = cpi.score_cases(path)
    assert group(result, "task", "add") == {
        "by": "task", "name": "add", "mean": 4.5, "scored": 1, "wanted": 2, "worst": 3.25, "best": 4.25,
    }  # fmt: skip
    assert group(result, "dimension", "a")["mean"] == 4.0
    assert group(result, "dimension", "b") == {
        "by": "dimension", "name": "b", "mean": 4.0, "scored": 1, "wanted": 2, "worst": 2.5, "best": 4.5,
    }  # fmt: skip


def test_the_worst_an_intelligent_case_can_be_includes_the_penalty(tmp_path: Path) -> None:
    rows = [
        case(n, intelligent(*scores), subset="intelligent", expert_domain="physics-optics", task=None)
        for n, scores in enumerate([(2, None, 5), (None, None, None)])
    ]
    row = group(cpi.score_cases(write(tmp_path / "c.jsonl", *rows)), "domain", "physics")
    assert (row["mean"], row["scored"], row["wanted"]) == (None, 0, 2)
    assert row["worst"] == pytest.approx(((0.9 + 0.3 + 1.25) * 0.6 + 0.6) / 2)
    assert row["best"] == pytest.approx((2.19 + 5) / 2)


def test_the_gap_between_languages_is_over_samples_scored_in_both(tmp_path: Path) -> None:
    path = write(
        tmp_path / "cases.jsonl",
        case(0, {"a": 5}, lang="zh"),
        case(0, {"a": 3}, lang="en"),
        case(1, {"a": 1}, lang="zh"),  # only in Chinese: in its mean, not in the gap
    )
    row = group(cpi.score_cases(path), "task", "add")
    assert (row["zh"]["mean"], row["en"]["mean"]) == (3.0, 3.0)
    assert row["gap"] == {"mean": 2.0, "scored": 1, "wanted": 2}
    assert group(cpi.score_cases(path), "lang", "zh")["mean"] == 3.0


def test_domain_and_subtask_are_parted_at_the_first_hyphen() -> None:
    assert cpi.domain_parts("chemistry-acid-base") == ("chemistry", "acid-base")
    assert cpi.domain_parts("chemistry") == ("chemistry", None)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (case(1, {"a": 6}), "a is 6; a score lies between 1 and 5"),
        (case(1, {"a": 0}), "a is 0"),
        (case(1, {"a": -1}), "a is -1"),
        (case(0, {"a": 3}), "sample_index 0 stands twice"),
        (case(1, {"a": "5"}), "Expected `float | null`"),
        (case(1, {"a": 5}, subset="hard"), "Invalid enum value 'hard'"),
        (case(1, {"a": 5}, lang="eng"), "Invalid enum value 'eng'"),
        (case(1, {"beauty": 3}, subset="intelligent"), "beauty is not a dimension of intelligent"),
        ({"sample_index": 1, "subset": "general"}, "missing required field `scores`"),
    ],
)
def test_a_wrong_row_is_named_with_its_line(tmp_path: Path, row: dict, says: str) -> None:
    path = write(tmp_path / "cases.jsonl", case(0, {"a": 5}), row)
    with pytest.raises(UserError) as caught:
        cpi.score_cases(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert says in str(caught.value)


def test_the_written_report_scores_to_the_same_numbers_again(tmp_path: Path) -> None:
    path = write(tmp_path / "c.jsonl", case(0, {"a": 5, "b": 4}), case(1, {"a": 3, "b": None}, lang="zh"))
    cases = [cpi.Case(**row) for row in map(json.loads, path.read_text().splitlines())]
    cpi.write_report(tmp_path / "out", cases)
    assert cpi.score_cases(tmp_path / "out" / "cases.jsonl") == cpi.score_cases(path)
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["groups"] == cpi.score_cases(path)["groups"]


SCORES = st.floats(1, 5)


@given(SCORES, SCORES, SCORES, st.sampled_from(range(3)), st.floats(0, 4))
def test_an_intelligent_score_never_falls_when_a_dimension_rises(
    a: float, b: float, c: float, at: int, by: float
) -> None:
    low, high = [a, b, c], [a, b, c]
    high[at] = min(5.0, high[at] + by)
    first, second = (cpi.case_score("intelligent", intelligent(*scores)) for scores in (low, high))
    assert first is not None
    assert second is not None
    assert first <= second + 1e-6
