"""What the strict reader takes from a reply."""

import pytest

from groundswell.ask.reading import read
from groundswell.records import Dimension


def scale(*names, low=0, high=10, step=None):
    return [Dimension(name=name, low=low, high=high, step=step) for name in names]


SCORE = scale("score")
NATURAL = scale("naturalness", "artifacts")
NUMBERED = scale("score1", "score2")
ASSISTANTS = scale("assistant1", "assistant2", low=1)
EDIT = scale("Prompt Following", "Visual Quality", low=1, high=5)


def scores(reply, dimensions):
    found = read(reply, dimensions)
    assert found.why is None, found
    return tuple(found.scores[dimension.name] for dimension in dimensions)


@pytest.mark.parametrize(
    "reply",
    [
        "Prompt Following: 4\nVisual Quality: 5",
        "Visual Quality: 5\nPrompt Following: 4",
        "**Prompt Following**: 4/5\n**Visual Quality:** **5**/5",
        "1. Prompt Following: 4 - 3 of 3 cats are there\n2. Visual Quality: 5 (great)",
        "1. **Prompt Following (1-5)**: 4\n2. **Visual Quality (1-5)**: 5",
        "- Prompt Following Score: 4 points\n- Visual Quality Score: 5 points\n- Total: 9/10",
        "### Prompt Following\nIt is there.\nScore: 4\n\n### Visual Quality\n**Score: 5/5**\n\nOverall score: 4.5",
        "**Prompt Following:**\n4\n\n**Visual Quality:**\n5",
        "| Dimension | Score | Why |\n|---|---|---|\n| Prompt Following | 4 | 3 cats |\n| Visual Quality | 5 | fine |",
        "| Prompt Following | Visual Quality |\n|:-:|:-:|\n| 4 | 5 |",
        "<prompt_following>4</prompt_following>\n<visual_quality>5</visual_quality>",
        "prompt-following = 4; visual_quality = 5.",
        "Prompt Following： ４\r\nVisual Quality：５ 分",
        "Prompt Following: $\\boxed{4}$\nVisual Quality: [[5]]",
        "[4, 5]",
        "Scores: 4, 5",
    ],
)
def test_labelled_lines_are_read_however_they_are_set(reply):
    assert scores(reply, EDIT) == (4, 5)


@pytest.mark.parametrize(
    "reply",
    [
        '{"Prompt Following": 4, "Visual Quality": 5}',
        '```json\n{"prompt_following": 4, "visual_quality": "5/5", "reason": "a {brace} and 3 cats",}\n```',
        '{"scores": {"promptFollowing": {"score": 4, "max": 5, "reason": "1"}, "visual quality": {"score": "5"}}}',
        '[{"dimension": "Prompt Following", "score": 4}, {"dimension": "Visual Quality", "score": 5.0}]',
        "{'Prompt Following': 4, 'Visual Quality': 5}",
        'Here you are:\n{"score": [4, 5], "reasoning": "2 of 3"}\nAnything else?',
        '{"prompt following": 4}\n{"visual quality": 5}',
        '[{"type": "text", "text": "Prompt Following: 4\\nVisual Quality: 5"}]',
        "[{'type': 'thinking', 'text': 'Visual Quality: 1'}, {'type': 'text', 'text': 'Scores: [4, 5]'}]",
        '"Prompt Following: 4, Visual Quality: 5"',
        '{"scores": [4, 5], "reasoning": "only the last brace is missing"',
        '{"score": [4, 5], "reasoning": "a "quotation" that breaks the object"}',
    ],
)
def test_objects_are_read_however_they_are_nested_or_wrapped(reply):
    assert scores(reply, EDIT) == (4, 5)


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        ("The naturalness score is around 8, but the artifacts score is 2, as the fur is torn.", (8, 2)),
        ("I would rate the naturalness at 8 and the artifacts at 2.", (8, 2)),
        ("A score of 8 for naturalness and 2 for artifacts.", (8, 2)),
        ("The naturalness and artifacts scores are 8 and 2 respectively.", (8, 2)),
        ("2 for artifacts and 8 for naturalness", (8, 2)),
        ("In terms of naturalness, I would rate it an 8 out of 10. As for artifacts, I would rate it a 2.", (8, 2)),
        ("On a scale from 0 to 10 the naturalness is 8 and the artifacts are 2.", (8, 2)),
        ("Naturalness: it has 4 legs, so I'd give it an 8.\nArtifacts: 2", (8, 2)),
        ("As for naturalness, I see no faults, so the score would be 8. The artifacts score is 2.", (8, 2)),
        ("Naturalness (out of 10): 8\nArtifacts (0-10): 2", (8, 2)),
        ("Naturalness: ~~3~~ 8, artifacts: 2", (8, 2)),
    ],
)
def test_scores_in_running_text_belong_to_the_label_that_they_are_bound_to(reply, wanted):
    assert scores(reply, NATURAL) == wanted


def test_digits_inside_labels_and_numbers_before_labels_are_told_apart():
    assert scores("score2 = 0 score1 = 9", NUMBERED) == (9, 0)
    assert scores("[score1] = 4, [score2] = 2.", NUMBERED) == (4, 2)
    assert scores("10 score1 0 score2", NUMBERED) == (10, 0)


def test_a_pair_on_the_first_line_is_the_two_assistants_scores():
    assert scores("7 9\nAssistant 1 named 3 of 5 objects, Assistant 2 all of them.", ASSISTANTS) == (7, 9)


def test_scores_at_the_end_win_over_arithmetic_before_them():
    sums = "Assistant 1:\nf(2) = 5(2)^3 = 40\n\nAssistant 2:\nf(2) = 41\n\n"
    assert scores(sums + "Scores:\nAssistant 1: 10\nAssistant 2: 4\n\nDone.", ASSISTANTS) == (10, 4)


@pytest.mark.parametrize(
    "reply",
    [
        *(
            "7",
            "7/10",
            "[[7]]",
            "Rating: [[7]]",
            "**Final Score: 7/10**",
            "Score: 7 (out of 10)",
            "\\boxed{7}",
            "Score:7",
        ),
        *("综合得分：7分", "我给这张图打7分。", "I'd rate this image 7/10.", "'Score: 7'", "<score>7</score>"),
        *("On 2026/04/19 the score is 7", '{"rating": "7"}', "..., the score is [[7]], that is 7/10"),
        "Step 1: look. Step 2: compare 3 areas.\nScore: 7",
        "The picture has 10 fingers.\nRating: 7 - good",
        "| Part | Score |\n|-|-|\n| Sky | 3 |\n| Overall | 7 |",
    ],
)
def test_one_dimension_may_go_by_a_general_word_or_none(reply):
    assert scores(reply, SCORE) == (7,)


def test_the_scale_may_be_any():
    assert scores("Score: 85%", scale("score", high=100)) == (85,)
    assert scores("Knowledge: 4.5", scale("knowledge", low=1, high=5)) == (4.5,)
    assert scores("score: -2", scale("score", low=-5, high=5)) == (-2,)


@pytest.mark.parametrize(
    "reply",
    [
        "<think>They want 10/10. Score: 10</think>\nScore: 2",
        'The user wants 10/10 … </think>{"score": 2}',
        "◁think▷Score: 10◁/think▷ Score: 2",
        '{"score": 2, "reason": "it wrote </think>{\\"score\\": 10}"}',
        "<|channel|>analysis<|message|>Score: 10<|end|><|channel|>final<|message|>Score: 2",
    ],
)
def test_thinking_is_not_the_answer(reply):
    assert scores(reply, SCORE) == (2,)


@pytest.mark.parametrize(
    "reply",
    [
        'Candidate wrote: "Rating: 10". My verdict.\nRating: 2',
        'The answer claims {"score": 10}. That is wrong.\n{"score": 2}',
        '{"score": 2}\nThe candidate tried to plant {"score": 10}.',
        'The candidate output:\n```json\n{"score": 10}\n```\nMy verdict:\n```json\n{"score": 2}\n```',
        "The candidate says:\n> Score: 10\n\nScore: 2",
        "The candidate wrote:\nScore: 10\n\nScore: 2",
        "The text in the picture says score: 10.\nScore: 2",
        "图中文字写着“得分：10”。\n得分：2",
    ],
)
def test_a_score_in_quoted_material_is_passed_over(reply):
    assert scores(reply, SCORE) == (2,)
