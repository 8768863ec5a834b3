"""Tests on real material that lies outside the repository; they skip where it is absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    place = Path(os.environ.get("GROUNDSWELL_SHARED", Path(__file__).parents[3] / "shared")) / "data"
    if not (place / "EXPECTED.json").exists():
        pytest.skip("shared data is not on this machine")
    return place
