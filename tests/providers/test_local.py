"""Classical editors and baselines: what each does, and what it owns up to."""

from __future__ import annotations

import numpy as np
import pytest

from groundswell import pictures
from groundswell.errors import UserError
from groundswell.providers import local
from groundswell.records import Answer, Broken, Declined, Sample

Y, X = np.mgrid[0:60, 0:80]
PHOTO = np.stack([X * 3, Y * 4, (X + Y)], axis=-1).astype(np.uint8)
DATA = pictures.encode_png(PHOTO)


def sample(prompt: str = "", *, with_input: bool = True, **fields: object) -> Sample:
    inputs = (pictures.describe(DATA),) if with_input else ()
    return Sample(suite="t", task="edit", prompts={"en": prompt}, inputs=inputs, **fields)


def asked(name: str, prompt: str, data: bytes = DATA, others: tuple[bytes, ...] = ()) -> Answer | Declined | Broken:
    return local.make(name, others).make(sample(prompt), prompt, [data], 42)


def edited(name: str, prompt: str) -> np.ndarray:
    answer = asked(name, prompt)
    assert isinstance(answer, Answer), answer
    return pictures.pixels(answer.pictures[0])


def test_the_careful_editor_mirrors_exactly() -> None:
    assert np.array_equal(edited("opencv-careful", "Mirror it left to right"), PHOTO[:, ::-1])
    assert np.array_equal(edited("opencv-careful", "Flip it vertically"), PHOTO[::-1])


def test_the_careful_editor_turns_both_ways() -> None:
    assert np.array_equal(edited("opencv-careful", "Rotate 90 degrees clockwise"), np.rot90(PHOTO, -1))
    assert np.array_equal(edited("opencv-careful", "Rotate 90 degrees counter-clockwise"), np.rot90(PHOTO, 1))


def test_the_careful_editor_crops_the_centre() -> None:
    assert np.array_equal(edited("opencv-careful", "Crop to 40 x 20"), PHOTO[20:40, 20:60])


def test_a_box_confines_an_edit() -> None:
    found = edited("opencv-careful", "Fill the box (10, 20) to (30, 40) with red")
    expected = PHOTO.copy()
    expected[20:40, 10:30] = (255, 0, 0)
    assert np.array_equal(found, expected)


def test_two_operations_are_done_in_order() -> None:
    found = edited("opencv-careful", "Crop to 40 x 20, then rotate it by 90 degrees")
    assert np.array_equal(found, np.rot90(PHOTO[20:40, 20:60], -1))


def test_chinese_asks_for_the_same() -> None:
    chinese = edited("opencv-careful", "裁剪到 40 x 20，然后顺时针旋转90度")
    assert np.array_equal(chinese, edited("opencv-careful", "Crop to 40 x 20, then rotate it by 90 degrees"))


@pytest.mark.parametrize(
    ("prompt", "change"),
    [("Brighten it", 1), ("Make it darker", -1), ("更亮", 1), ("调暗", -1)],
)
def test_brightness_moves_the_way_it_was_asked(prompt: str, change: int) -> None:
    assert np.sign(edited("opencv-careful", prompt).mean() - PHOTO.mean()) == change


def test_a_removed_thing_is_painted_over_from_around_it() -> None:
    spotted = np.full((60, 80, 3), 120, np.uint8)
    spotted[20:30, 20:30] = 255
    prompt = "Remove the spot inside (18, 18) to (32, 32)"
    answer = asked("opencv-careful", prompt, pictures.encode_png(spotted))
    assert isinstance(answer, Answer)
    assert np.abs(pictures.pixels(answer.pictures[0]).astype(int) - 120).max() <= 2


def test_an_honest_editor_declines_what_it_cannot_do() -> None:
    assert asked("opencv-careful", "Give the cat a party hat") == Declined(
        reason="opencv-careful does not understand this instruction", at="input"
    )
    assert asked("pillow-plain", "Blur the box (1, 1) to (9, 9)") == Declined(
        reason="pillow-plain cannot edit a part of a picture", at="input"
    )
    assert asked("pillow-plain", "Make it warmer") == Declined(reason="pillow-plain cannot do this: warmer", at="input")


@pytest.mark.parametrize(
    "prompt",
    ["Rotate by 45 degrees", "Crop to 900 x 900", "Crop it", "Fill it", "Blur (200, 200) to (300, 300)", "Resize it"],
)
def test_the_impossible_is_declined_with_a_reason(prompt: str) -> None:
    answer = asked("opencv-careful", prompt)
    assert isinstance(answer, Declined)
    assert answer.reason


def test_the_gray_only_editor_gives_everything_else_back_as_it_was() -> None:
    assert np.array_equal(edited("grayscale-only", "Mirror it"), PHOTO)
    assert np.ptp(edited("grayscale-only", "Make it black and white"), axis=2).max() == 0


def test_the_hasty_editor_does_the_first_step_and_rounds_sizes() -> None:
    found = edited("hasty", "Resize it to 40 x 30, then rotate it by 90 degrees")
    assert found.shape == (16, 32, 3)


def test_the_filter_happy_editor_darkens_the_corners_unasked() -> None:
    found = edited("filter-happy", "Mirror it")
    assert found[-1, 0].sum() < PHOTO[:, ::-1][-1, 0].sum()


def test_an_input_that_cannot_be_decoded_is_a_broken_one() -> None:
    answer = asked("opencv-careful", "Mirror it", b"not a picture")
    assert isinstance(answer, Broken)
    assert answer.what == "decode"
    assert not answer.transient


def test_an_editor_without_an_input_declines() -> None:
    answer = local.make("opencv-careful").make(sample(with_input=False), "Mirror it", [], 42)
    assert isinstance(answer, Declined)


@pytest.mark.parametrize("name", local.names())
def test_the_same_seed_gives_the_same_bytes(name: str) -> None:
    others = (DATA, pictures.encode_png(PHOTO[::-1]), pictures.encode_png(255 - PHOTO))
    prompt = "Make it black and white"
    assert asked(name, prompt, others=others) == asked(name, prompt, others=others)


def test_copy_input_gives_the_very_bytes() -> None:
    answer = asked("copy-input", "anything")
    assert isinstance(answer, Answer)
    assert answer.pictures[0] is DATA


def test_blank_is_white_and_noise_is_not_and_both_have_the_size_of_the_input() -> None:
    assert (edited("blank", "anything") == 255).all()
    noise = edited("noise", "anything")
    assert noise.shape == PHOTO.shape
    assert 100 < noise.mean() < 155


def test_noise_differs_by_seed_and_by_sample() -> None:
    noise = local.make("noise")
    one, two = sample("a"), sample("b")
    answers = [noise.make(s, "", [DATA], seed) for s, seed in ((one, 42), (one, 43), (two, 42))]
    assert len({answer.pictures[0] for answer in answers if isinstance(answer, Answer)}) == 3


def test_a_wanted_size_comes_before_the_size_of_the_input() -> None:
    answer = local.make("blank").make(sample(size=(32, 16)), "", [], 42)
    assert isinstance(answer, Answer)
    assert pictures.pixels(answer.pictures[0]).shape == (16, 32, 3)


def test_other_sample_never_gives_the_samples_own_input() -> None:
    other = pictures.encode_png(255 - PHOTO)
    answer = asked("other-sample", "anything", others=(DATA, other))
    assert isinstance(answer, Answer)
    assert answer.pictures == (other,)
    assert isinstance(asked("other-sample", "anything", others=(DATA,)), Declined)


def test_an_unknown_model_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(UserError, match="opencv-careful"):
        local.make("dall-e")


def test_outputs_come_for_every_sample_and_model_of_its_task() -> None:
    samples = [sample("Mirror it"), Sample(suite="t", task="t2i", prompts={"en": "a cat"})]
    models = [local.make("opencv-careful"), local.make("blank")]
    made = [(s.task, m.name) for s, m, _ in local.outputs(samples, models, lambda digest: DATA)]
    assert made == [("edit", "opencv-careful"), ("edit", "blank"), ("t2i", "blank")]
