"""LLaVA-Bench files as published give the published numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundswell.ask.reading import read
from groundswell.errors import UserError
from groundswell.records import Picture
from groundswell.suites import exchange, llava, llava_sets, templates


@pytest.fixture(scope="module")
def expected(shared: Path) -> dict:
    return json.loads((shared / "EXPECTED.json").read_text())["llava"]


def matches(found: dict, wanted: dict) -> bool:
    return all(found[name] == pytest.approx(value, abs=1e-4) for name, value in wanted.items())


@pytest.mark.parametrize("model", ["13b", "7b"])
@pytest.mark.parametrize("mode", ["default", "compat_original"])
def test_the_published_reviews_score_as_published(shared: Path, expected: dict, model: str, mode: str) -> None:
    path = shared / "llava" / "reviews" / f"llava-v1.5-{model}-eval1.jsonl"
    found = llava.score_reviews([path], compat=mode != "default")
    wanted = expected[f"review_{model}_eval1"][mode]
    assert found.keys() == wanted.keys()
    assert all(matches(found[category], wanted[category]) for category in wanted)


def test_without_the_questions_about_people_it_scores_as_published(
    shared: Path, expected: dict, tmp_path: Path
) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("11 12 13")
    path = shared / "llava" / "reviews" / "llava-v1.5-13b-eval1.jsonl"
    found = llava.score_reviews([path], compat=True, without_ids=ids)
    wanted = expected["review_13b_eval1"]["compat_original_without_11_12_13"]
    assert all(matches(found[category], wanted[category]) for category in wanted)


def test_the_older_text_only_reviews_score_as_published(shared: Path, expected: dict) -> None:
    path = shared / "llava" / "vicuna80" / "review_gpt35_vicuna-13b.jsonl"
    wanted = expected["vicuna80_review_gpt35"]["compat_original"]
    assert matches(llava.score_reviews([path], compat=True)["all"], wanted)


def no_picture(data: bytes) -> Picture:
    pytest.fail("there are no pictures in this folder")


def test_the_set_in_the_wild_loads_with_context_and_reference(shared: Path) -> None:
    samples = list(llava_sets.samples(shared / "llava", no_picture))
    categories = [sample.tags["category"] for sample in samples]
    assert [categories.count(f"llava_bench_{name}") for name in ("conv", "detail", "complex")] == [17, 15, 28]
    assert [sample.label for sample in samples] == [str(number) for number in range(60)]
    assert all(sample.reference and sample.context for sample in samples)


def test_the_coco_set_loads_with_captions_and_boxes(shared: Path) -> None:
    samples = list(llava_sets.samples(shared / "llava" / "coco", no_picture))
    categories = [sample.tags["category"] for sample in samples]
    assert [categories.count(name) for name in ("conv", "detail", "complex")] == [30, 30, 30]
    captions = [sample.context.split("\n\n")[0].split("\n") for sample in samples if sample.context]
    assert [len(lines) for lines in captions] == [5] * 90  # the one picture with six is asked nothing


def test_collected_answers_find_their_questions(shared: Path) -> None:
    samples = list(llava_sets.samples(shared / "llava", no_picture))
    results = exchange.read_results(shared / "llava" / "answers" / "llava-v1.5-13b.jsonl", samples)
    assert (len(results.texts), results.missing) == (60, [])


def test_answers_are_not_taken_for_another_sets(shared: Path) -> None:
    samples = list(llava_sets.samples(shared / "llava" / "coco", no_picture))
    with pytest.raises(UserError, match="is not this suite's"):
        exchange.read_results(shared / "llava" / "answers" / "llava-v1.5-13b.jsonl", samples)


def test_the_original_rules_load_word_for_word_under_keys_of_their_own(shared: Path) -> None:
    path = shared / "llava" / "rule.json"
    rules = templates.rule_file(path)
    for category, rule in json.loads(path.read_text()).items():
        rubric = rules.llava(category)
        assert rubric.text == rule["prompt"]
        assert rubric.key != templates.ours().llava(category).key
    assert rules.llava("generic").text == rules.llava("default").text


def test_the_strict_reader_reads_every_published_review_as_its_file_recorded_it(shared: Path) -> None:
    for path in sorted((shared / "llava").glob("*/*review*.jsonl")) + sorted((shared / "llava" / "reviews").iterdir()):
        for row in map(json.loads, path.read_text().splitlines()):
            pair = llava.case_score(read(row.get("content", row.get("text")), llava.DIMENSIONS).scores)
            assert pair == tuple(row.get("tuple") or row["score"])
