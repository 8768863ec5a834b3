"""What makes votes doubtful."""

from __future__ import annotations

import re
from collections.abc import Collection

from groundswell.records import Sample

SHORTEST_NAME = 4


def names_a_model(sample: Sample, models: Collection[str]) -> bool:
    """Whether a prompt names one of the models, so that the ballot would not be blind."""
    text = " ".join(sample.prompts.values()).lower()
    names = [model.lower() for model in models if len(model) >= SHORTEST_NAME]
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names)
