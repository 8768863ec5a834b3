import pytest

from groundswell.curate.feedback import find_comments, judged


@pytest.mark.parametrize(
    ("text", "verdict", "complaint"),
    [
        ("the lighting is gorgeous", "success", None),
        ("everything got a yellow tint", "failure", "colour"),
        ("That is a different face", "failure", "identity"),
        ("the letters on the sign are wrong", "failure", "text"),
        ("手指数量不对", "failure", "structure"),
        ("質感がすごい", "success", None),
        ("not so good", "failure", "realism"),
        ("no distortion at all, perfect", "success", None),
        ("Beautiful, but the hand is mangled", "failure", "structure"),
        ("how did you do this? amazing", "neither", None),
        ("Saved, thanks for sharing!", "neither", None),
    ],
)
def test_a_remark_is_praise_complaint_or_neither(text, verdict, complaint):
    told, _, kind = judged(text)
    assert (told, kind) == (verdict, complaint)


def test_where_words_say_nothing_a_small_model_is_asked(talk):
    conversation = talk("Prompt: x", ("other", "could have fooled me"))
    assert find_comments(conversation, None, lambda text: "success").comments[0].verdict == "success"
    assert find_comments(conversation, None).comments[0].verdict == "neither"


def test_the_authors_own_praise_is_no_feedback_but_his_complaint_is():
    assert judged("I love it, amazing", by_author=True)[0] == "neither"
    assert judged("the text is garbled though", by_author=True)[0] == "failure"
