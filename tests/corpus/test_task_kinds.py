import pytest

from groundswell.corpus.task_kinds import OTHER, Asked, kinds_of, known_kinds, share, task_kinds


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("Put the dog from image 1 on the sofa of image 2", "several pictures into one"),
        ("A selfie on the moon, keep my face exactly as it is", "same person elsewhere"),
        ("Restore this photograph and remove the scratches", "restoration"),
        ("把图中的自行车去掉", "something removed or replaced"),
        ("この部屋を冬の夜に変えて", "new light, season or time"),
        ("Turn this sketch into a watercolour", "style carried over"),
        ("做成一个透明底座的手办", "thing made of a picture"),
        ("Translate the sign in this image to Greek", "text translated or corrected"),
        ("An infographic about how bread rises", "infographic or diagram"),
        ('{"subject": "a kettle", "light": "dusk"}', "instruction as data"),
        ("A postcard of [CITY NAME] in May", "template with open places"),
        ("A red cube on a blue sphere", "described scene"),
    ],
)
def test_a_prompt_is_of_the_kind_that_its_words_say(prompt, kind):
    assert kind in kinds_of(prompt)


def test_a_prompt_that_no_rule_knows_is_of_none_of_them():
    assert kinds_of("hello") == (OTHER,)


def test_names_of_kinds_are_different_and_each_says_what_it_means():
    names = [kind.name for kind in known_kinds()]
    assert len(set(names)) == len(names) > 20
    assert all(kind.means and kind.asks for kind in known_kinds())


def asked(*texts):
    return [Asked(sample=f"s{number}", text=text, task="edit") for number, text in enumerate(texts)]


def test_a_kind_is_lacking_only_where_the_numbers_of_both_sets_carry_it():
    ours = asked(*[f"Remove object {number} from the picture" for number in range(5)], *["A dog in snow"] * 15)
    found = task_kinds(ours, {"large": ["A dog in snow"] * 300, "small": ["A dog in snow"] * 2})
    first = found.kinds[0]
    assert (first.kind, first.ours.n, first.ours.of, first.by_task) == (
        "something removed or replaced", 5, 20, {"edit": 5},
    )  # fmt: skip
    assert (first.lacking_in, first.unseen_in) == (("large",), ("large", "small"))
    assert [each.sample for each in first.examples] == ["s0", "s1", "s2"]
    assert found.why is None


def test_without_an_older_set_nothing_is_lacking_and_the_reason_is_said():
    found = task_kinds(asked("Remove the car"), {})
    assert all(row.lacking_in == () for row in found.kinds)
    assert found.why is not None
    assert "--older" in found.why
    assert task_kinds([], {"empty": []}).why is not None


def test_a_share_stands_with_its_wilson_interval_and_none_of_nothing():
    half = share(5, 10)
    assert (round(half.low, 3), round(half.high, 3)) == (0.237, 0.763)
    assert (share(0, 0).low, share(0, 0).high) == (None, None)
