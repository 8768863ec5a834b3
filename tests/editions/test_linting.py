import numpy as np
import pytest

from groundswell.editions.likeness import SPELLING, Reading, Twin, nearest, twin_of, unlike, vectors
from groundswell.editions.linting import Pool, findings, verdict
from groundswell.records import Licence, Picture, Sample

POOL = Pool(terms={"use_case": frozenset({"consumer"}), "capability": frozenset({"layout"})})
TAGS = {"use_case": "consumer", "capability": "layout"}
FREE = Licence(id="CC0-1.0", source="their own", redistribute=True, derivatives=True)


def _sample(text="A red kite over a grey beach, seen from below.", language="en", task="t2i", inputs=(), **tags):
    return Sample(suite="arena", task=task, prompts={language: text}, inputs=inputs, tags={**TAGS, **tags})


def _picture(width=512, licence=FREE):
    return Picture(digest="d", media_type="image/png", width=width, height=512, licence=licence)


def _rules(sample, **more):
    return [each.rule for each in findings(sample, POOL, **more)]


def test_plain_language_in_either_language_is_admitted():
    assert verdict(findings(_sample(), POOL)) == "admit"
    assert verdict(findings(_sample("雨中的公交站台上，一位老人在读报纸。", "zh"), POOL)) == "admit"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("a cat, masterpiece, best quality, 8k", "plain language"),
        ("1girl, solo, red hair, smile, outdoors, beach, sunset", "plain language"),
        ("A castle on a hill --ar 16:9", "model syntax"),
        ("A (castle:1.3) on a hill.", "model syntax"),
        ("A castle <lora:stone:0.8> on a hill.", "model syntax"),
        ("A castle. Negative prompt: blurry, low quality", "negative prompt"),
        ("1. A castle on a hill.\n2. A boat on a lake.", "one prompt"),
        ("A castle on a hill in the style of Midjourney.", "names a model"),
        ("The living room of @someone at night.", "private person"),
        ("Write to jane.doe@example.org on a postcard.", "private person"),
        ("cat", "length"),
    ],
)
def test_a_prompt_against_the_standards_is_rejected_and_told_why(text, rule):
    found = findings(_sample(text), POOL)
    assert rule in [each.rule for each in found]
    assert verdict(found) == "reject"
    assert all(each.why for each in found)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Remove my ex from this picture of the beach.", "private person"),
        ("A nude statue of marble in a museum.", "unsafe"),
        ("雨中的公交站台上，一位老人在读报纸。", "language"),
    ],
)
def test_what_only_a_person_can_decide_waits_for_one(text, rule):
    found = findings(_sample(text), POOL)
    assert (verdict(found), [each.rule for each in found]) == ("queue", [rule])


def test_sentences_with_many_commas_are_no_keywords():
    text = "On the table there are a cup, a plate, a spoon, a knife, a napkin, and a small vase with tulips in it."
    assert _rules(_sample(text)) == []


def test_an_edit_needs_a_picture_that_may_be_edited():
    assert _rules(_sample(task="edit")) == ["reference picture"]
    assert _rules(_sample(task="edit", inputs=(_picture(),))) == []
    assert _rules(_sample(task="edit", inputs=(_picture(width=200),))) == ["reference size"]
    assert _rules(_sample(task="edit", inputs=(_picture(licence=None),))) == ["reference licence"]
    assert _rules(_sample(task="edit", inputs=(_picture(licence=Licence(id="CC-BY-ND-4.0", source="s")),))) == [
        "reference licence"
    ]


def test_a_face_waits_for_a_person_unless_consent_is_stated():
    shown = {"faces": lambda picture: 2}
    assert _rules(_sample(task="edit", inputs=(_picture(),)), **shown) == ["reference faces"]
    assert _rules(_sample(task="edit", inputs=(_picture(),), consent="the sitter"), **shown) == []


def test_a_picture_that_a_person_has_looked_at_is_not_queued_again_and_a_rejected_one_stays_out():
    sample = _sample(task="edit", inputs=(_picture(licence=Licence(id="CC0-1.0", derivatives=True)),))
    shown = {"faces": lambda picture: 2}
    assert _rules(sample, **shown) == ["reference source", "reference faces"]
    assert _rules(sample, **shown, reviewed={"d": True}) == []
    found = findings(sample, POOL, **shown, reviewed={"d": False})
    assert (verdict(found), [each.rule for each in found]) == ("reject", ["reference review"])
    unfree = _sample(task="edit", inputs=(_picture(licence=None),))
    assert _rules(unfree, reviewed={"d": True}) == ["reference licence"], "no person can give a licence"


def test_tags_are_of_the_taxonomy_and_cells_are_not_filled_twice():
    assert _rules(_sample(use_case="gardening")) == ["tags"]
    full = Pool(terms=POOL.terms, cells={("t2i", "consumer", "layout"): 5}, most_in_cell=5)
    assert [each.rule for each in findings(_sample(), full)] == ["balance"]


def test_a_near_duplicate_names_its_twin():
    spelled, meant = (
        findings(
            _sample(), POOL, alike=lambda sample, sure=sure: Twin(sample="twin", likeness=0.97, backend="e5", sure=sure)
        )
        for sure in (True, False)
    )
    assert [(each.rule, verdict([each])) for each in (*spelled, *meant)] == [
        ("near-duplicate", "reject"),
        ("near-duplicate", "queue"),
    ]
    assert "the pool has twin already" in spelled[0].why
    assert "0.97 by e5" in spelled[0].why


def test_the_first_reading_that_finds_a_twin_is_the_evidence():
    pool = {"k1": "The moon above a harbour.", "k2": "A red kite over a beach."}

    def means(texts):
        """Whatever has a kite in it is one thing, the rest another."""
        return np.array([[1.0, 0.0] if "kite" in text.lower() else [0.0, 1.0] for text in texts])

    meaning = Reading(backend="meaning", vectors=means, among=means, same=0.95, sure=False)
    spelled = twin_of("a red kite, over a beach", pool, (SPELLING, meaning))
    assert (spelled.sample, spelled.backend, spelled.sure) == ("k2", "character n-grams", True)
    meant = twin_of("Scarlet kites fly where the sand ends.", pool, (SPELLING, meaning))
    assert (meant.sample, meant.backend, meant.sure) == ("k2", "meaning", False)
    assert twin_of("Scarlet kites fly where the sand ends.", pool, (SPELLING,)) is None
    assert twin_of("Anything.", {}, (SPELLING, meaning)) is None


def test_the_small_model_finds_a_paraphrase_and_leaves_a_like_prompt_alone():
    from groundswell.editions.likeness import readings

    if len(readings()) < 2:
        pytest.skip("needs the extra `curate`")
    pool = {"k": "A neon sign that says OPEN LATE above a bar door."}
    found = twin_of("Above the door of a bar, a neon sign reading OPEN LATE.", pool, readings()[1:])
    assert (found.sample, found.sure) == ("k", False)
    assert twin_of("A wooden sign that says CLOSED on a bakery door.", pool, readings()) is None


def test_texts_are_alike_by_their_pieces_in_every_script():
    texts = ["A red kite over a grey beach.", "a red KITE, over a grey beach", "The moon above a harbour at night."]
    found = vectors(texts)
    assert nearest(found[0], found[1:])[0] == 0
    assert nearest(found[0], found[1:])[1] == pytest.approx(1)
    assert nearest(found[0], found[:0]) is None
    chinese = vectors(["雨中的公交站台", "雨中的公交站台上", "山顶的日出"])
    assert nearest(chinese[0], chinese[1:])[0] == 0


def test_a_prompt_unlike_anything_that_people_ask_is_found():
    animals = ("cat", "dog", "owl")
    asked = [f"turn this photo of my {animal} into a sticker, version {n}" for n in range(40) for animal in animals]
    people = vectors([*asked, "xylograph quoits"])
    corpus, odd = people[:-1], people[-1:]
    (likeness, threshold), usual = unlike(odd, corpus)[0], unlike(corpus[:1], corpus)[0]
    assert likeness < threshold
    assert usual is None
    assert unlike(odd, corpus[:50]) == [None]
