"""Diffusion in this process, on a pipeline of random weights that is made here: it draws noise, but it draws."""

import json

import pytest

from groundswell.errors import UserError
from groundswell.pictures import facts
from groundswell.providers.diffusion import Diffusion
from groundswell.records import Broken, Endpoint, Sample
from groundswell.testing.host import picture

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # of packages that we do not mend
    pytest.mark.timeout(300),
]

FOX = Sample(suite="s", task="t2i", prompts={"en": "a red fox"}, size=(32, 32))
GRAY = Sample(suite="s", task="edit", prompts={"en": "make it gray"})
STEPS = {"num_inference_steps": 2, "guidance_scale": 1.0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    diffusers = pytest.importorskip("diffusers")
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    place = tmp_path_factory.mktemp("pipeline")
    torch.manual_seed(0)
    letters = [f"{letter}{end}" for letter in "abcdefghijklmnopqrstuvwxyz" for end in ("", "</w>")]
    words = place / "words"
    words.mkdir()
    vocabulary = {word: number for number, word in enumerate([*letters, "<|startoftext|>", "<|endoftext|>"])}
    (words / "vocab.json").write_text(json.dumps(vocabulary))
    (words / "merges.txt").write_text("#version: 0.2\n")
    tokenizer = transformers.CLIPTokenizer(str(words / "vocab.json"), str(words / "merges.txt"), model_max_length=16)
    text = transformers.CLIPTextConfig(
        vocab_size=len(vocabulary),
        hidden_size=8,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=16,
        bos_token_id=len(vocabulary) - 2,
        eos_token_id=len(vocabulary) - 1,
        pad_token_id=len(vocabulary) - 1,
    )
    pipeline = diffusers.StableDiffusionPipeline(
        vae=diffusers.AutoencoderKL(
            block_out_channels=[4, 4],
            down_block_types=["DownEncoderBlock2D"] * 2,
            up_block_types=["UpDecoderBlock2D"] * 2,
            latent_channels=4,
            norm_num_groups=2,
        ),
        text_encoder=transformers.CLIPTextModel(text),
        tokenizer=tokenizer,
        unet=diffusers.UNet2DConditionModel(
            sample_size=16,
            block_out_channels=(4, 8),
            layers_per_block=1,
            down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
            up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
            cross_attention_dim=8,
            attention_head_dim=2,
            norm_num_groups=2,
        ),
        scheduler=diffusers.DDIMScheduler(steps_offset=1, clip_sample=False),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )
    pipeline.save_pretrained(place / "model", safe_serialization=True)
    return str(place / "model")


def model(folder, **settings):
    return Diffusion(Endpoint(name="tiny", host="diffusers", model=folder, settings={**STEPS, **settings}))


def test_a_picture_is_made_from_words_of_the_size_wanted_and_again_from_the_same_seed(folder):
    tiny = model(folder)
    first, again, other = (tiny.make(FOX, "a red fox", [], seed).pictures[0] for seed in (42, 42, 43))
    assert (facts(first).media_type, facts(first).width, facts(first).height) == ("image/png", 32, 32)
    assert first == again != other


def test_a_picture_is_edited_by_a_pipeline_that_takes_one(folder):
    editor = model(folder, pipeline="StableDiffusionImg2ImgPipeline", strength=0.9)
    made = editor.make(GRAY, "make it gray", [picture("input")], 42)
    assert facts(made.pictures[0]).width == 64


def test_a_pipeline_that_takes_no_picture_says_so(folder):
    came = model(folder).make(GRAY, "make it gray", [picture("input")], 42)
    assert isinstance(came, Broken)
    assert came.reason == "StableDiffusionPipeline takes no picture as input"


def test_what_cannot_be_loaded_is_named(folder, tmp_path):
    with pytest.raises(UserError, match="could not be loaded"):
        model(str(tmp_path)).make(FOX, "a", [], 42)
    with pytest.raises(UserError, match="no pipeline named Nonsense"):
        model(folder, pipeline="Nonsense").make(FOX, "a", [], 42)
