import json
from pathlib import Path

import pytest

from groundswell.curate.prompts import cleaned, edits, find_prompt, passage_in

CASES = json.loads((Path(__file__).parent / "posts.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("post", "prompt"), [(case["post"], case["prompt"]) for case in CASES])
def test_the_instruction_comes_without_the_words_around_it(post, prompt):
    found = passage_in(post)
    assert found is not None
    assert found.text == prompt


@pytest.mark.parametrize(
    "post",
    [
        "Prompt in the comments 👇",
        "My banana bread recipe, bake 60 minutes at 180C",
        "Is Gemini down for anyone else?",
        "This is the most realistic image I have ever seen. We are cooked.",
    ],
)
def test_a_post_without_an_instruction_has_none(post):
    assert passage_in(post) is None


def test_where_the_main_post_points_to_a_reply_the_authors_reply_is_taken(talk):
    found = find_prompt(
        talk("Made with Nano Banana, prompt in the replies", ("other", "Prompt: mine is a red cube, studio light"),
             ("author", "a paper boat on a lake of ink, low sun, long shadows"))
    )  # fmt: skip
    assert found is not None
    assert (found.text, found.posts) == ("a paper boat on a lake of ink, low sun, long shadows", ("k2",))
    assert found.about == "Nano Banana"


def test_what_others_write_is_never_the_authors_instruction(talk):
    assert find_prompt(talk("Look at this", ("other", "Prompt: a castle made of sand, cinematic light"))) is None


def test_an_instruction_in_two_posts_is_joined(talk):
    found = find_prompt(
        talk("Prompt (1/2): A bakery at dawn, isometric, warm light,", ("author", "(2/2) two cats on flour sacks"))
    )
    assert found is not None
    assert found.text == "A bakery at dawn, isometric, warm light,\ntwo cats on flour sacks"
    assert found.posts == ("k0", "k1")


@pytest.mark.parametrize(
    ("prompt", "edit"),
    [
        ("Remove the lamp post behind the tower", True),
        ("Add a dog on the sofa", True),
        ("把图中的家具换成北欧风格", True),
        ("この写真を水彩画に変えて", True),
        ("A lamp post in the fog, cinematic", False),
        ("画像を生成して：夕暮れの海", False),
        ("The image should show a red cube on a blue sphere", False),
    ],
)
def test_an_edit_is_told_from_a_picture_made_from_nothing(prompt, edit):
    assert edits(prompt) is edit


def test_the_clean_instruction_has_no_links_hashtags_or_mentions_but_keeps_colours():
    assert cleaned("a cat  in #FF8800 light https://t.co/x #AIart @someone") == "a cat in #FF8800 light"
