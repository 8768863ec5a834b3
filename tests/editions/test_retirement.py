import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

from groundswell.editions.retirement import power_of, proposals, slope, told_from_chance
from groundswell.records import Vote, Winner

MODELS = {"ada": 1.0, "bob": 0.4, "cyd": -0.3, "dan": -1.1}


def _votes(sample, n, b, seed, models=MODELS):
    rng = np.random.default_rng(seed)
    names, votes = list(models), []
    for place in range(n):
        left, right = rng.choice(names, 2, replace=False)
        wins = rng.random() < expit(b * (models[left] - models[right]))
        votes.append(
            Vote(
                sample=sample,
                left=str(left),
                right=str(right),
                winner=Winner.LEFT if wins else Winner.RIGHT,
                by="s",
                ballot=f"{sample}-{place}",
            )
        )
    return votes


@pytest.fixture(scope="module")
def others():
    return [vote for place in range(15) for vote in _votes(f"other-{place:02}", 120, 1.0, place)]


def _of(sample, votes, rule="slope"):
    return next(each for each in proposals(votes, rule) if each.sample == sample)


def test_a_prompt_that_tells_like_the_others_is_kept_with_a_slope_near_one(others):
    found = _of("other-00", others)
    assert found.verdict == "keep"
    assert found.low < 1 < found.high


def test_a_prompt_on_which_every_model_does_as_well_is_retired(others):
    found = _of("flat", others + _votes("flat", 400, 0.0, 99))
    assert (found.verdict, found.n) == ("retire", 400)
    assert found.high < 0.5


def test_a_prompt_is_never_retired_for_lack_of_votes(others):
    found = _of("flat", others + _votes("flat", 99, 0.0, 99))
    assert found.verdict == "undecided"
    assert "99 votes are fewer than 100" in found.why


def test_a_prompt_on_which_weaker_models_win_is_shown_to_a_person(others):
    assert _of("odd", others + _votes("odd", 300, -1.0, 5)).verdict == "reversed"


def test_good_prompts_are_hardly_ever_retired(others):
    verdicts = [each.verdict for each in proposals(others)]
    assert verdicts.count("retire") == 0
    assert verdicts.count("reversed") == 0


def test_the_slope_is_what_hand_counting_gives():
    # two gaps of 1: three of four won, so b = log(3); information 4 * 3/4 * 1/4
    found = slope(np.array([1.0, 1.0, 1.0, 1.0]), np.array([1.0, 1.0, 1.0, 0.0]))
    assert found.b == pytest.approx(np.log(3))
    assert found.error == pytest.approx((4 * 0.75 * 0.25) ** -0.5)


def test_a_tie_is_half_a_win_and_votes_that_all_go_one_way_have_no_slope():
    assert slope(np.array([1.0]), np.array([0.5])).b == pytest.approx(0)
    assert slope(np.array([1.0, 1.0]), np.array([1.0, 1.0])).b is None
    assert slope(np.array([0.0]), np.array([1.0])).b is None


def test_the_rule_of_chance_needs_the_power_to_tell(others):
    near = {"ada": 0.2, "bob": 0.1, "cyd": 0.0, "dan": -0.1}
    flat = _of("flat", others + _votes("flat", 400, 0.0, 99), "chance")
    assert flat.verdict == "retire"
    close = [vote for place in range(15) for vote in _votes(f"close-{place}", 60, 1.0, place, near)]
    assert {each.verdict for each in proposals(close, "chance")} <= {"undecided", "keep", "reversed"}


def test_power_is_that_of_the_exact_binomial_test():
    p = 0.7
    by_hand = sum(binom.pmf(k, 20, p) for k in range(21) if told_from_chance(k, 20))
    assert power_of(np.full(20, p)) == pytest.approx(by_hand)
    assert not told_from_chance(14, 20)
    assert told_from_chance(15, 20)
