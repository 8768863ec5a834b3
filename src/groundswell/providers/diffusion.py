"""Diffusion pipelines in this process, from a folder or a hub id: text to picture, and picture to picture.

Needs the extra `local` (diffusers, torch). A pipeline is loaded when it is first asked and asked one at a time. Its
arguments (`num_inference_steps`, `guidance_scale`, `strength`, ...) are the endpoint's settings.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import cached_property
from io import BytesIO
from threading import Lock
from typing import Any

from groundswell.errors import UserError
from groundswell.providers.failures import broken, declined
from groundswell.records import Answer, Broken, Declined, Endpoint, Sample

OURS = frozenset({"device", "dtype", "pipeline", "revision", "size"})
"""Settings of the loading, not of the call. `pipeline`: name of the class in diffusers, where the folder does not say
it; `revision`: of a hub id, a commit, so that the model is the same tomorrow."""


class Diffusion:
    """`ports.LocalModel` of the host name `diffusers`; the endpoint's model is a folder or a hub id."""

    name = "diffusers"
    tasks: tuple[str, ...] = ("t2i", "edit")

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._settings = {name: value for name, value in endpoint.settings.items() if name not in OURS}
        self._lock = Lock()

    def make(self, sample: Sample, prompt: str, inputs: Sequence[bytes], seed: int) -> Answer | Declined | Broken:
        """One picture. Raises UserError where the pipeline cannot be loaded."""
        with self._lock:
            return self._make(sample, prompt, inputs, seed)

    def _make(self, sample: Sample, prompt: str, inputs: Sequence[bytes], seed: int) -> Answer | Declined | Broken:
        import torch

        pipeline = self._pipeline
        accepted = inspect.signature(pipeline.__call__).parameters
        if inputs and "image" not in accepted:
            return broken(f"{type(pipeline).__name__} takes no picture as input", transient=False)
        arguments: dict[str, Any] = {
            "prompt": prompt,
            "generator": torch.Generator("cpu").manual_seed(seed),
            **self._settings,
        }
        if inputs:
            pictures = [_opened(data) for data in inputs]
            arguments["image"] = pictures[0] if len(pictures) == 1 else pictures
        if sample.size is not None:
            arguments |= {"width": sample.size[0], "height": sample.size[1]}
        made = pipeline(**{name: value for name, value in arguments.items() if name in accepted})
        if any(getattr(made, "nsfw_content_detected", None) or ()):
            return declined("the pipeline's safety checker flagged the picture")
        buffer = BytesIO()
        made.images[0].save(buffer, "PNG")
        return Answer(pictures=(buffer.getvalue(),))

    @cached_property
    def _pipeline(self) -> Any:
        try:
            import diffusers
            import torch
        except ImportError as error:
            raise UserError(
                f"this endpoint runs in this process and needs diffusers ({error}); pip install 'groundswell[local]'",
                where=self._endpoint.name,
            ) from None
        settings = self._endpoint.settings
        kind = getattr(diffusers, str(settings.get("pipeline", "DiffusionPipeline")), None)
        if kind is None:
            raise UserError(f"diffusers has no pipeline named {settings['pipeline']}", where=self._endpoint.name)
        dtype = getattr(torch, str(settings.get("dtype", "float32")))
        try:
            loaded = kind.from_pretrained(
                self._endpoint.model, dtype=dtype, revision=settings.get("revision"), use_safetensors=True
            )
        except (OSError, ValueError) as error:
            raise UserError(f"the pipeline could not be loaded: {error}", where=self._endpoint.name) from None
        loaded.set_progress_bar_config(disable=True)
        return loaded.to(settings.get("device", "cuda" if torch.cuda.is_available() else "cpu"))


def _opened(data: bytes) -> Any:
    from PIL import Image

    from groundswell.pictures import pixels

    return Image.fromarray(pixels(data))
