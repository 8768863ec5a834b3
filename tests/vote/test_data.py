"""Words and taxonomy: data that must be whole in both languages."""

import asyncio

from groundswell.boards.arena import CAPABILITIES, USE_CASES
from groundswell.records import Done, Unit, UnitState, Winner
from groundswell.vote.hall import CHOICES
from groundswell.vote.limits import Limiter, Rate
from groundswell.vote.pages import language_of, words
from groundswell.vote.pairing import Shown
from groundswell.vote.rankings import Ranked, comparisons, rankings
from groundswell.vote.taxonomy import taxonomy
from groundswell.vote.writing import Writer


def test_both_languages_say_the_same_things():
    assert words()["en"].keys() == words()["zh"].keys()


def test_the_taxonomy_is_that_of_the_boards_with_names_and_hints_in_both_languages():
    terms = taxonomy()
    assert tuple(term.id for term in terms.use_case) == USE_CASES
    assert tuple(term.id for term in terms.capability) == CAPABILITIES
    assert all(
        term.name.keys() == {"en", "zh"} for axis in (terms.use_case, terms.capability, terms.style) for term in axis
    )
    assert all(term.hint.keys() == {"en", "zh"} for term in (*terms.use_case, *terms.capability))


def test_a_word_outside_the_taxonomy_stands_for_itself():
    assert [term.id for term in taxonomy().terms({"use_case": "consumer", "style": ["risograph"]})] == [
        "consumer",
        "risograph",
    ]


def test_the_language_is_the_chosen_one_then_the_browsers_then_english():
    assert language_of("zh", "en") == "zh"
    assert language_of(None, "fr, zh-TW;q=0.8") == "zh"
    assert language_of("xx", "") == "en"


def test_every_answer_but_the_skip_is_a_winner():
    assert set(CHOICES) - {"skip"} == set(map(str, Winner))


def test_a_bucket_empties_and_fills_again():
    now = [0.0]
    limiter = Limiter(Rate(burst=2, per_second=1), lambda: now[0])
    assert [limiter.allows("a") for _ in range(3)] == [True, True, False]
    assert limiter.allows("b")
    now[0] = 1.0
    assert [limiter.allows("a") for _ in range(2)] == [True, False]


def test_answers_that_wait_for_the_disk_share_a_transaction():
    batches = []

    class Slow:
        def finish(self, stage, results):
            batches.append(len(results))
            return {unit.key for unit, _ in results}

    async def many():
        writer = Writer(Slow(), "vote")
        done = Done(state=UnitState.DONE)
        return await asyncio.gather(*(writer.write(Unit(key=str(place), payload=None), done) for place in range(50)))

    assert all(asyncio.run(many()))
    assert batches == [50]


def test_a_ranking_becomes_comparisons_and_comes_back(clock):
    from datetime import UTC, datetime

    places = {"ada": 1, "bob": 2, "cyd": 2}
    ranked = [Ranked(shown=Shown(model=name, output=name, digest=name), place=place) for name, place in places.items()]
    votes = comparisons("s", "expert:Grace", ranked, datetime(2026, 1, 1, tzinfo=UTC))
    assert [(vote.left, vote.right, vote.winner) for vote in votes] == [
        ("ada", "bob", "left"),
        ("ada", "cyd", "left"),
        ("bob", "cyd", "tie"),
    ]
    assert list(rankings(votes)) == [{"sample": "s", "rater": "Grace", "order": [["ada"], ["bob", "cyd"]]}]
