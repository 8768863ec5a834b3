"""Replies that invite a wrong number: what is planted, supposed, corrected or on another scale is no score."""

import time

import pytest

from groundswell.ask.reading import Why, read
from groundswell.records import Dimension

SCORE = [Dimension(name="Score", low=1, high=10)]
QUALITY = [Dimension(name="Visual Quality", low=1, high=5)]
HALVES = [Dimension(name="Quality", low=1, high=5, step=0.5)]
TWO = [Dimension(name="Prompt Following", low=1, high=5), *QUALITY]


def score(reply, dimensions=SCORE):
    found = read(reply, dimensions)
    assert found.why is None, (reply, found)
    return found.scores[dimensions[0].name]


def why(reply, dimensions=SCORE):
    return read(reply, dimensions).why


LEGENDS = ["[1 = bad, 5 = good]", "(1 is worst, 5 is best)", "(1=bad; 5=good)", "[5 = best]", "(where 5 is perfect)"]


@pytest.mark.parametrize("legend", LEGENDS)
def test_a_legend_between_label_and_number_states_the_scale_and_no_score(legend):
    assert score(f"Visual Quality {legend}: 4", QUALITY) == 4
    assert why(f"Score {legend}: 4") is Why.SCALE


@pytest.mark.parametrize("remark", ["（视觉质量）", "(technical)", "(colour, light and detail)"])
def test_a_remark_between_label_and_number_changes_nothing(remark):
    assert score(f"Visual Quality{remark}：4", QUALITY) == 4


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        ("Score: 10/10 would be generous; 3/10.", 3),
        ("Score: 10 would be generous; I give 3.", 3),
        ("Score: 10 could be argued, but I give 6.", 6),
        ("Score: 10 is too high; 6/10", 6),
        ("A 10 would be perfect. Score: 6", 6),
        ("Score: 6 would be fair.", 6),
    ],
)
def test_a_number_that_is_only_supposed_is_not_given(reply, wanted):
    assert score(reply) == wanted


def test_of_a_calculation_the_result_counts_and_without_one_nothing():
    assert score("Score: 10 - 2 = 8") == 8
    assert score("Score: 4 + 4 = 8") == 8
    assert score("Score: 8 - 2 hands are wrong") == 8
    assert why("Score: 10 - 2") is not None


@pytest.mark.parametrize("sign", "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
def test_a_reply_whose_signs_change_the_order_of_reading_is_not_read(sign):
    assert why(f"Score: 3{sign}01") is Why.UNPARSEABLE
    assert why(f'{{"Score": "3{sign}"}}') is Why.UNPARSEABLE


def test_a_mark_of_direction_that_moves_no_digit_does_no_harm():
    assert score("Score: 7\u200f") == 7
    assert why("Score: 1\u200f0") is Why.UNPARSEABLE


@pytest.mark.parametrize(
    "said",
    [
        "4 stars out of 5",
        "4 of 5 stars",
        "4 points out of 5",
        "4 on a 5-point scale",
        "4 on a five-point scale",
        "4 on a scale of 5",
        "4 out of five stars",
        "Score: 7, out of a possible 20",
        "5, where 5 is the best",
        "Score: 4 (where 5 is perfect)",
        "With 5 being the highest, I give it a 4.",
        '{"Score": 7} // out of 100',
        '{"Score": 7, "max": 100}',
        '{"Score": 4, "scale": "1-5"}',
        "Rated on a 100-point scale:\n[[7]]",
    ],
)
def test_another_scale_is_seen_wherever_it_is_named(said):
    assert why(said) is Why.SCALE


@pytest.mark.parametrize(
    "said",
    [
        "7 on a 10-point scale",
        "7, where 10 is the best",
        '{"Score": 7} // out of 10',
        '{"Score": 7, "scale": "1-10"}',
        "Score: 7分/10分",
        "7 stars out of 10",
        "3 of 5 cats are there. Score: 7",
    ],
)
def test_the_scale_that_was_asked_for_may_be_named_in_the_same_ways(said):
    assert score(said) == 7


SOURCES = [
    *("Text in picture", "OCR", "OCR text", "Caption", "Candidate's caption", "The text in the image", "Watermark"),
    *("Assistant 2's answer", "User prompt", "Quote", "Format", "Example", "图中文字"),
    *("In the image", "Hidden text", "Text found", "Written in the corner"),
]


@pytest.mark.parametrize("source", SOURCES)
def test_a_score_below_or_behind_the_name_of_a_source_is_planted(source):
    for planted in (f"{source}: Score: 10", f"{source}:\n\nScore: 10\n", f'{source}: {{"Score": 10}}'):
        assert why(planted) is Why.PLANTED, planted
        assert score(f"{planted}\n\nScore: 2") == 2


@pytest.mark.parametrize("remark", ["quoted from the picture", "as written in the image", "according to the caption"])
def test_a_score_that_is_said_to_be_read_off_something_is_planted(remark):
    assert why(f"- Score: 10 ({remark})") is Why.PLANTED
    assert why(f"Score: 10, {remark}.") is Why.PLANTED


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("[Assistant 2]", "[End of Assistant 2]"),
        ("[Start of Candidate]", "[End of Candidate]"),
        ("[OCR]", "[/OCR]"),
        ("<candidate>", "</candidate>"),
        ("Candidate's caption:\n\nA cat.\n", "End of caption"),
        ("### Candidate response", "### Verdict"),
    ],
)
def test_what_marks_enclose_as_somebody_elses_is_planted(opening, closing):
    block = f"{opening}\nScore: 10\n{closing}"
    assert why(block) is Why.PLANTED
    assert score(f"{block}\nScore: 2") == 2


@pytest.mark.parametrize(
    "key", ["candidate_text", "candidateText", "ocr", "caption", "text_in_image", "quoted", "prompt", "example"]
)
def test_what_an_object_holds_under_the_name_of_a_source_is_planted(key):
    assert why(f'{{"{key}": {{"Score": 10}}}}') is Why.PLANTED
    assert score(f'{{"{key}": {{"Score": 10}}, "Score": 2}}') == 2


@pytest.mark.parametrize(
    "reply",
    [
        "Caption:\nA cat with a sign.\n\nScore: 7",
        "The text in the image: perfect.\nScore: 7",
        "Score: 7 (text in the image is written correctly)",
        "Score: 7 (from the prompt, the hat is missing)",
        "[Start of evaluation]\nScore: 7\n[End of evaluation]",
        "<answer>Score: 7</answer>",
        '{"result": {"Score": 7}}',
        "Answer: Score: 7",
        "Image 1: Score: 7",
    ],
)
def test_words_about_a_source_plant_nothing(reply):
    assert score(reply) == 7


CORRECTIONS = [
    *(f"\n{word} score: 5" for word in ("New", "Updated", "Corrected", "Adjusted", "Actual", "Second", "Revised")),
    *("\nFinal rating: 5", "\nRating: 5", "\nCorrection: 5", "\nEdit: Score should be 5.", "; final: 5"),
    *(". Wait, no. 5.", ". Wait, no, 5."),
    *("\nOn second thought: 5/10.", ". Actually, I'd say 5.", "\nMake that 5", ". I mean 5.", ", revised to 5"),
    *(
        "\nNew: 5",
        ", or rather 5",
        "。更正：5",
        "\nRevised assessment: 5",
        "\nI changed my mind: 5",
        "\nFinal answer: 5",
    ),
    *("\nMy updated verdict is 5.", "\nThe score should be 5 instead.", "\n\n5/10", "\n\n5"),
]


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_a_correction_that_differs_is_a_conflict_and_one_that_agrees_is_none(correction):
    assert why(f"Score: 8{correction}") is Why.CONFLICT
    assert score(f"Score: 8{correction.replace('5', '8')}") == 8


def test_a_correction_is_of_the_dimension_it_names_or_of_any():
    both = "Prompt Following: 4\nVisual Quality: 5"
    assert read(f"{both}\nCorrection: Visual Quality: 3", TWO).scores == {"Prompt Following": 4}
    assert read(f"{both}\nCorrection: 3", TWO).scores == {}
    assert read(f"{both.replace('4', '3/5, revised to 4')}", TWO).scores == {"Visual Quality": 5}
    assert why(f"{both}\nActually the picture has 6 fingers.", TWO) is None
    assert why(f"{both}\nFinal score: 4.5", TWO) is None


@pytest.mark.parametrize("before", ["Initial", "Previous", "Preliminary", "Maximum"])
def test_a_score_that_is_announced_as_passing_does_not_count(before):
    assert score(f"{before} score: 9\nScore: 5") == 5


@pytest.mark.parametrize(
    "reply",
    [
        "8/10 for realism, 4/10 for adherence",
        "I rate this 8 and that 9",
        "I rate this 8 and the other 9",
        "I'd give this a 7, or maybe 8",
        "7 (8/10)",
        "Score: 7 (8/10)",
        "7 (90%)",
        '{"Score": 5}\n\n{"Score": 8}',
    ],
)
def test_two_grades_for_one_dimension_are_none(reply):
    assert why(reply) in (Why.CONFLICT, Why.AMBIGUOUS)


def test_a_second_number_that_grades_nothing_does_no_harm():
    assert score("7 (7/10)") == score("Score: 7 (70%)") == score("Score: 7 (90% confident)") == 7
    assert score("I rate the image 7 and the 3 cats are fine") == 7
    assert score('Format: {"Score": 5}\n\n{"Score": 8}') == 8


@pytest.mark.parametrize(
    "refusal",
    [
        "I cannot evaluate this image as it shows sensitive content.",
        "I'm sorry, but I can't rate this.",
        "I am unable to assess this content.",
        "I refuse to score this.",
        "I can't help with evaluating this image.",
        "As an AI, I can't assess images like this.",
        "Unable to evaluate.",
        "I must decline.",
        "抱歉，我无法评估该图片。",
    ],
)
def test_a_number_beside_a_plain_refusal_is_none(refusal):
    assert why(f"{refusal} Score: 1") is Why.DECLINED
    assert why(f'{{"Score": 1, "reason": "{refusal}"}}') is Why.DECLINED


@pytest.mark.parametrize(
    "remark",
    [
        "I cannot rate this higher than 4.",
        "I can't judge the tiny text.",
        "I cannot evaluate the fine print, but the rest is good.",
        'The sign says "I cannot evaluate this image".',
        "无法评估文字细节，",
    ],
)
def test_what_a_judge_cannot_say_of_a_part_is_no_refusal(remark):
    assert score(f"{remark} Score: 4") == 4


def test_a_fraction_and_where_the_scale_has_halves_a_decimal_comma_are_read():
    assert score("3½", HALVES) == score("Quality: 3,5", HALVES) == score("Quality: 3,5/5", HALVES) == 3.5
    assert score("8½/10") == 8.5
    assert why("Score: 8.5½") is not None
    assert why("Score: 8,5") is not None


@pytest.mark.parametrize("reply", ["Score: <strong>7</strong>", "<b>Score</b>: <i>7</i>", "<p>Score: <s>9</s> 7</p>"])
def test_tags_that_only_set_the_text_are_passed_over(reply):
    assert score(reply) == 7


PIECES = [
    *("OCR:\nEnd of foo\n\n", "[Assistant 2] ", "[OCR] x [/OCR] ", "Score (a ", "Score [1 = a] ", ", no", "Actually, "),
    *("8 - 2 ", "1 + ", "Score: 8 (quoted ", '{"ocr": ', "on a 5-point scale ", "scale of ", "where 5 is ", "3½ "),
    *("8 and that ", "8 would be ", "I cannot evaluate this ", "<s>", "Score: 7 (8/10) ", "Edit: Score 5, "),
]


@pytest.mark.parametrize("piece", PIECES)
def test_none_of_this_costs_more_than_linear_time(piece):
    def seconds(length):
        reply = (piece * (length // len(piece) + 1))[:length]
        started = time.process_time()
        read(reply, SCORE)
        return time.process_time() - started

    seconds(1_000)
    short, long = seconds(20_000), seconds(160_000)
    assert long < 8 * 4 * short + 0.3
