"""The page on metrics is true: its table, and its example."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from groundswell.measure.alone import ObjectCount, Quality, Safety
from groundswell.measure.color import Color
from groundswell.measure.face import FaceIdentity
from groundswell.measure.keeping import AspectRatio, Background, NearCopy, Resolution
from groundswell.measure.structure import StructureDistance
from groundswell.measure.text import TextByOcr
from groundswell.records import NotApplicable, Sample

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()
METRICS = (
    Color, FaceIdentity, StructureDistance, TextByOcr, Background, AspectRatio, Resolution, NearCopy, Quality, Safety,
    ObjectCount,
)  # fmt: skip


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_the_table_names_every_metric_with_its_direction(metric):
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{metric.name}`"))
    assert row.split("|")[3].strip() == metric.about.better


def test_the_example_on_the_page_is_a_metric(encode):
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL).group(1)
    names = {}
    exec(code, names)
    darkness, sample = names["Darkness"](), Sample(suite="s", task="edit", prompts={"en": "x"})
    half = np.full((10, 10, 3), 200, np.uint8)
    half[:5] = 3
    assert darkness.measure(sample, "key", [encode(half)], encode(half)).value == 0.5
    assert isinstance(darkness.measure(sample, "key", [encode(half)], encode(half[:4])), NotApplicable)
