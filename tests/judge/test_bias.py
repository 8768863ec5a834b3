"""Self-preference, position and length, each with its interval."""

from groundswell.judge.arithmetic import Duel
from groundswell.judge.bias import length_bias, position_bias, self_preference
from groundswell.judge.panel import Grade, said
from groundswell.records import Winner

LEFT, RIGHT, TIE = Winner.LEFT, Winner.RIGHT, Winner.TIE


def graded(values, samples=30):
    """Grades of `samples` samples; `values` gives {judge: {model: grade}} by the sample's number."""
    return [
        Grade(sample=f"s{number}", model=model, output=f"s{number}-{model}", judge=judge, value=value)
        for number in range(samples)
        for judge, models in values(number).items()
        for model, value in models.items()
    ]


JUDGES = {"gpt": "openai", "gem": "google", "cla": "anthropic"}
MODELS = {"dall": "openai", "flux": "bfl"}


def test_a_judge_that_favours_its_family_is_flagged():
    rows = graded(
        lambda n: {"gpt": {"dall": 9, "flux": 3}, "gem": {"dall": 3, "flux": 9}, "cla": {"dall": 5, "flux": 9}}
    )
    (found,) = self_preference(said(rows), JUDGES, MODELS)
    assert (found.judge, found.excess.value, found.pairs, found.flagged) == ("gpt", 1.0, 30, True)


def test_a_family_that_is_better_in_everybodys_eyes_is_no_bias():
    rows = graded(lambda n: {judge: {"dall": 9, "flux": 3} for judge in JUDGES})
    (found,) = self_preference(said(rows), JUDGES, MODELS)
    assert (found.excess.value, found.flagged) == (0.0, False)


def test_without_another_judge_a_preference_cannot_be_told():
    rows = graded(lambda n: {"gpt": {"dall": 9, "flux": 3}})
    (found,) = self_preference(said(rows), JUDGES, MODELS)
    assert (found.excess.value, found.flagged, found.why) == (None, False, "no other judge saw such pairs")


def duel(number, forward, backward):
    return Duel(sample=f"s{number}", left="a", right="b", judge="j", forward=forward, backward=backward)


def test_position_is_what_the_output_shown_first_gets_above_one_half():
    first = [duel(n, LEFT, LEFT if n % 2 else RIGHT) for n in range(40)]
    (found,) = position_bias(first)
    assert (found.excess.value, found.flagged) == (0.25, True)
    (last,) = position_bias([duel(n, RIGHT, RIGHT) for n in range(40)])
    assert (last.excess.value, last.flagged) == (-0.5, True)
    (fair,) = position_bias([duel(n, LEFT, RIGHT) for n in range(40)])
    assert (fair.excess.value, fair.flagged) == (0.0, False)
    assert position_bias([duel(0, LEFT, None)]) == []


def test_length_is_what_the_longer_answer_gets_above_what_other_judges_give_it():
    def values(number):
        longer, shorter = ("dall", "flux") if number % 2 else ("flux", "dall")
        return {"gpt": {longer: 9, shorter: 3}, "gem": {longer: 5, shorter: 5}}

    rows = graded(values)
    lengths = {f"s{n}-{model}": 900 if (model == "dall") == bool(n % 2) else 200 for n in range(30) for model in MODELS}
    found = {bias.judge: bias for bias in length_bias(said(rows), lengths)}
    assert (found["gpt"].excess.value, found["gpt"].flagged) == (0.5, True)
    assert found["gem"].excess.value == -0.5
    assert length_bias(said(rows), {})[0].excess.value is None
