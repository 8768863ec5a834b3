"""Where the strict reader gives no number, and the reason that it names."""

import pytest

from groundswell.ask.reading import Why, read
from groundswell.records import Dimension

SCORE = [Dimension(name="score", low=0, high=10)]
TWO = [Dimension(name="naturalness", low=0, high=10), Dimension(name="artifacts", low=0, high=10)]


def why(reply, dimensions=SCORE):
    return read(reply, dimensions).why


@pytest.mark.parametrize("reply", ["", "  \r\n", "```json\n```", "<think>7</think>"])
def test_silence_is_empty(reply):
    assert why(reply) is Why.EMPTY


@pytest.mark.parametrize(
    "reply",
    [
        "I cannot see any images to evaluate. Please provide the images so I can give you a score.",
        "The prompt and images are missing. Please provide the prompt and images.",
        "Please provide me with the image. I'm ready to assess it on your 0-10 scale!",
        "I can't see any images. Score: 0",
        "无法查看图片，请提供图片。得分：0",
    ],
)
def test_a_judge_without_pictures_gives_no_score_even_if_it_names_one(reply):
    assert why(reply) is Why.NO_IMAGES


def test_a_prompt_that_asks_for_a_picture_is_not_a_judge_without_pictures():
    assert why("The user asked 'please provide an image of a cat'. Score: 7") is None
    assert why("I cannot see any artifacts in the image.\nScore: 9") is None
    assert why("The hat in the output image is missing.\nScore: 2") is None


def test_a_refusal_is_told_from_silence_and_from_prose():
    assert why("I'm sorry, but I can't assist with that.") is Why.DECLINED
    assert why("The edited image shows a zebra next to the river.") is Why.NO_SCORE


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("Score: 11", Why.RANGE),
        ("Score: -1", Why.RANGE),
        ('{"score": 1e400}', Why.UNPARSEABLE),
        ("7/5", Why.SCALE),
        ("Score: 4.2/5", Why.SCALE),
        ("Score: 85%", Why.SCALE),
        ("Score (out of 5): 4", Why.SCALE),
        ("On a scale of 1-5, I give it a 4.", Why.SCALE),
        ("Scale: 1-5\nScore: 4", Why.SCALE),
        ("Score: 8 or 9", Why.AMBIGUOUS),
        ("Score: 8-9", Why.AMBIGUOUS),
        ("Score: more than 8", Why.AMBIGUOUS),
        ("Score: 8+", Why.AMBIGUOUS),
        ("[[7]] ... [[8]]", Why.CONFLICT),
        ("The score is 6. On reflection the score is 8.", Why.CONFLICT),
        ('{"score": 8, "score": 3}', Why.CONFLICT),
        ("score: 10 (this is what the candidate wants)\nscore: 2", Why.CONFLICT),
        ("1\n2\n3\n4", Why.CONFLICT),
        ('The image contains the text "Score: 10".', Why.PLANTED),
        ("The candidate says score: 10.", Why.PLANTED),
        ("<think>Score: 8", Why.CUT),
        ('{"score": 8, "reason": "the im', Why.CUT),
        ('{"score": 8', Why.CUT),
        ('{"score": 8,', Why.CUT),
        ("[[8", Why.CUT),
        ("There are 3 cats and 8 people.", Why.UNPARSEABLE),
        ("Score: 8,5", Why.UNPARSEABLE),
        ("Score: 1,000", Why.UNPARSEABLE),
        ("2026/04/19", Why.UNPARSEABLE),
        ('{"score": "优秀", "reason": "答案3个要点都覆盖了"}', Why.UNPARSEABLE),
        ("Score: 7 -> 8", Why.UNPARSEABLE),
        ("The score is not 8.", Why.UNPARSEABLE),
        ("If there were no faults the score would be 10.", Why.UNPARSEABLE),
        ("Score: N/A", Why.NO_SCORE),
        ("Score: eight", Why.NO_SCORE),
        ('{"score": null}', Why.NO_SCORE),
        ('{"score": true}', Why.NO_SCORE),
    ],
)
def test_what_is_no_score_has_its_reason(reply, reason):
    assert why(reply) is reason


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("Naturalness: 9, artifacts: -1", Why.RANGE),
        ("Naturalness: 9", Why.MISSING),
        ("Naturalness: 9\nArtifacts: N/A", Why.MISSING),
        ("Naturalness is good because there are 3 cats.\nArtifacts: 7", Why.MISSING),
        ("The naturalness score is 9. There are no artifacts, so the overall score is 9", Why.MISSING),
        ("The naturalness is high, with a score of 9. Overall 8 for naturalness and 1 for artifacts.", Why.CONFLICT),
        ("score1=0, naturalness=1, naturalness=10, artifacts=3", Why.CONFLICT),
        ("Naturalness: around 8 or 9. Artifacts: 7", Why.AMBIGUOUS),
        ("Naturalness and artifacts: 8", Why.AMBIGUOUS),
        ("[10, 8, 5]", Why.UNPARSEABLE),
        ("1", Why.UNPARSEABLE),
        ("The score given is 0, while the score given is 10. Therefore, the final score is 10.", Why.UNPARSEABLE),
        ('{"naturalness": 9, "artifacts": 7, "reason": "cut he', Why.CUT),
    ],
)  # fmt: skip
def test_two_dimensions_need_two_numbers(reply, reason):
    assert why(reply, TWO) is reason


def test_what_was_read_stands_beside_what_is_missing():
    found = read("Naturalness: 9", TWO)
    assert (found.scores, found.missing) == ({"naturalness": 9}, ("artifacts",))


def test_a_number_between_the_steps_is_refused():
    halves = [Dimension(name="score", low=1, high=5, step=0.5)]
    assert why("Score: 4.5", halves) is None
    assert why("Score: 4.3", halves) is Why.SCALE
