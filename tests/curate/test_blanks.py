import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundswell.curate.blanks import fill, places
from groundswell.curate.conversation import Conversation, SeenPicture, SeenPost


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        ("A poster of {city} at night", ["{city}"]),
        ("A poster of [CITY] and {{ landmark }}", ["[CITY]", "{{ landmark }}"]),
        ("把{主体}放在雪山上，【城市】", ["{主体}"]),
        ('A card that says {argument name="quote" default="Begin"}', ['{argument name="quote" default="Begin"}']),
        ('A sign that reads "..." in ____', ['"..."', "____"]),
        ('{"subject": "a lighthouse", "size": [1024, 1024]}', []),
        ("see [the guide](https://x.y) and [email], ratio [16:9]", []),
    ],
)
def test_open_places_are_found_in_all_their_dialects(prompt, found):
    assert [place.whole for place in places(prompt)] == found


TEMPLATE = "A perfume ad for [PRODUCT NAME], background [COLOR]"


@pytest.mark.parametrize(
    "reply",
    [
        "PRODUCT NAME: Dew\nCOLOR: teal",
        "[PRODUCT NAME] = Dew, [COLOR] = teal",
        "Here [PRODUCT NAME] is Dew and [COLOR] is teal",
        "I used Dew for [PRODUCT NAME] and teal for [COLOR]",
        "In the brackets: Dew, teal",
    ],
)
def test_values_that_the_author_gives_fill_the_places(talk, reply):
    assert fill(TEMPLATE, talk(TEMPLATE, ("author", reply))).filled == "A perfume ad for Dew, background teal"


def test_a_reply_that_repeats_the_whole_instruction_gives_its_values(talk):
    prompt = "A long and careful perfume advertisement for [PRODUCT] in the style of the thirties, on a [COLOR] ground"
    reply = "Mine: A long and careful perfume advertisement for Dew in the style of the thirties, on a teal ground"
    assert [blank.value for blank in fill(prompt, talk(prompt, ("author", reply))).blanks] == ["Dew", "teal"]


@pytest.mark.parametrize(
    "reply",
    [
        ("author", "I used it twice and it works"),
        ("author", "The product name is a secret"),
        ("author", "COLOR: teal"),
        ("other", "PRODUCT NAME: Dew\nCOLOR: teal"),
    ],
)
def test_what_is_not_said_for_sure_stays_blank(talk, reply):
    assert fill(TEMPLATE, talk(TEMPLATE, reply)).filled is None


def test_a_default_is_what_the_template_itself_says(talk):
    prompt = 'A card that says {argument name="quote" default="Begin anywhere"}'
    assert fill(prompt, talk(prompt)).filled == "A card that says Begin anywhere"


@pytest.mark.parametrize(
    ("shown", "value"),
    [
        (("Second Hand Stars", "SECOND HAND STARS"), "Second Hand Stars"),
        (("Second Hand Stars",), None),
        (("Second Hand Stars", "Second Hund Stars"), None),
        ((), None),
    ],
)
def test_words_in_pictures_fill_a_place_for_words_when_two_agree(talk, shown, value):
    prompt = 'A shop front with a sign that reads "...", evening'
    assert fill(prompt, talk(prompt), shown).blanks[0].value == value


def test_words_in_one_picture_fill_a_place_when_the_author_says_them_too(talk):
    prompt = "A poster with the title {title}, bold letters"
    said = talk(prompt, ("author", "Far Shore is my favourite of the series"))
    assert fill(prompt, said, ("FAR SHORE",)).filled == "A poster with the title FAR SHORE, bold letters"
    assert fill("A poster of {city}", said, ("FAR SHORE", "FAR SHORE")).filled is None


def test_a_description_that_repeats_the_template_gives_its_values():
    prompt = "A long and careful perfume advertisement for [PRODUCT] in the style of the thirties, on a [COLOR] ground"
    alt = "A long and careful perfume advertisement for Dew in the style of the thirties, on a teal ground"
    post = SeenPost(key="a", text=prompt, by="author", pictures=(SeenPicture(alt=alt),))
    assert [each.value for each in fill(prompt, Conversation(posts=(post,))).blanks] == ["Dew", "teal"]


@given(st.text(max_size=200), st.text(max_size=200))
def test_filling_never_fails_and_never_leaves_a_known_place_open(prompt, reply):
    talk = Conversation(posts=(SeenPost(key="a", text=prompt, by="author"), SeenPost(key="b", text=reply, by="author")))
    found = fill(prompt, talk)
    assert (found.filled is None) == (not found.blanks or any(blank.value is None for blank in found.blanks))
