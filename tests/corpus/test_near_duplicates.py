import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundswell.corpus.near_duplicates import groups, jaccard

PROMPT = "a glass teapot on an oak table, morning light from the left, thin steam, shallow depth of field"


def test_a_changed_word_at_the_end_is_a_near_duplicate_and_another_prompt_is_not():
    texts = [PROMPT, "two cats on a red sofa, studio light", PROMPT.replace("field", "fields"), PROMPT.upper(), PROMPT]
    assert groups(texts).tolist() == [0, 1, 0, 0, 0]


def test_the_likeness_is_the_share_of_common_shingles():
    # abcde has abcd, bcde; abcdx has abcd, bcdx: 1 of 3 in common.
    assert jaccard("abcde", "abcdx") == pytest.approx(1 / 3)
    assert groups(["abcde", "abcdx"]).tolist() == [0, 1]


def test_short_empty_and_far_eastern_texts_have_a_place():
    assert groups([]).tolist() == []
    texts = [
        "",
        "猫",
        "猫",
        "把图中的人物变成手办，放在电脑桌前，背景是包装盒",
        "把图中的人物变成手办，放在电脑桌前，背景是包装盒。",
    ]
    assert groups(texts).tolist() == [0, 1, 1, 3, 3]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.text(alphabet="ab \n", max_size=12), max_size=12))
def test_every_pair_of_a_chain_of_likeness_one_is_one_group(texts):
    found = groups(texts, threshold=1.0).tolist()
    for one, text in enumerate(texts):
        for other in range(one):
            if jaccard(text, texts[other]) == 1:
                assert found[one] == found[other]
