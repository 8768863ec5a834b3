"""How natural prompts read: perplexity under a causal language model, by its name.

Perplexity is exp of the mean negative log-probability of a text's tokens after the first. Two models' numbers never
share a column, and a model says nothing about languages it was not trained on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from groundswell.errors import GroundswellError

SPEAKS = frozenset({"en"})
"""Languages of the packaged model."""

MOST_TOKENS = 512


class NotMeasurable(GroundswellError):
    """No perplexity for this text or on this machine, and why."""


class Fluency:
    """Perplexity by llama.cpp with a model in a GGUF file; `name` is the file's."""

    def __init__(self, path: Path) -> None:
        """Raises NotMeasurable where llama-cpp-python is not installed or the file is absent."""
        if find_spec("llama_cpp") is None:
            raise NotMeasurable("llama-cpp-python is not installed: pip install 'groundswell[fluency]'")
        if not path.is_file():
            raise NotMeasurable(f"there is no model at {path}")
        import llama_cpp

        self.name = path.stem
        self._model: Any = llama_cpp.Llama(
            model_path=str(path), n_ctx=MOST_TOKENS, logits_all=True, verbose=False, n_threads=1, n_threads_batch=1
        )

    def perplexity(self, text: str, language: str) -> float:
        """Perplexity of a text, at least 1. Raises NotMeasurable for a language that the model does not speak and for
        a text of fewer than two tokens."""
        if language not in SPEAKS:
            raise NotMeasurable(f"{self.name} does not speak {language}")
        tokens = self._model.tokenize(text.encode("utf-8"), add_bos=True)[:MOST_TOKENS]
        if len(tokens) < 2:
            raise NotMeasurable("a text of fewer than two tokens has no perplexity")
        self._model.reset()
        self._model.eval(tokens)
        logits = np.asarray(self._model.scores[: len(tokens) - 1], np.float64)
        peak = logits.max(axis=1, keepdims=True)
        normal = peak[:, 0] + np.log(np.exp(logits - peak).sum(axis=1))
        told = logits[np.arange(len(tokens) - 1), tokens[1:]] - normal
        return float(np.exp(-told.mean()))


def median_perplexity(
    texts: Sequence[tuple[str, str]], measure: Callable[[str, str], float]
) -> tuple[float | None, int, int]:
    """Median over (text, language) pairs that can be measured, how many those are, and how many there were."""
    found: list[float] = []
    for text, language in texts:
        try:
            found.append(measure(text, language))
        except NotMeasurable:
            continue
    return (float(np.median(found)) if found else None, len(found), len(texts))
